#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/seconds.h"
#include "fakes.h"

namespace sluice::cpu_test {

using fakes::at;

inline Duration seconds(double count) { return from_seconds(count); }

/// A machine with two CPUs, a model with settable answers, and virtual time.
class Cpu : public ::testing::Test {
 protected:
  Cpu() : core_(options(), model(), {fakes::known("load")}, at(0)) { show(0); }

  static GovernorOptions options() {
    GovernorOptions options = fakes::window_of(200, 200);
    options.window.law = Law::knee;
    return options;
  }

  /// "compile" needs a core, "sleep" and "copy" next to none, "wide" three; nothing is known of
  /// others.
  static CostModel model() {
    return [](const JobRequest& job) {
      Prediction prediction{Points{10}};
      if (job.key == "compile") prediction.cores = 1;
      if (job.key == "wide") prediction.cores = 3;
      if (job.key == "copy") prediction.cores = 0.01;
      if (job.key == "late") {
        prediction.cores = 0.2;
        prediction.late_cores = 1;
        prediction.profile.phases = {CpuPhase{seconds(10), 0}, CpuPhase{seconds(12), 1}};
        prediction.profile.count = 2;
      }
      if (job.key == "slow") prediction.ramp = seconds(3);
      if (job.key == "sleep") {
        prediction.cost = Points{1};
        prediction.cores = 0.01;
        prediction.sleeps = true;
      }
      return prediction;
    };
  }

  /// A second passes in which the machine uses `cores`, and the law runs.
  void pass_second(double cores) {
    used_ += cores;
    now_ += 1;
    show(0);
    core_.adjust_window(at(now_));
  }
  void show(double load) {
    fakes::show(core_, {load}, at(now_));
    UseCounters counters;
    counters.at = at(now_);
    counters.cpus = cpus_;
    counters.running = 1;
    counters.blocked = blocked_;
    counters.sectors = static_cast<std::uint64_t>(1000 * now_);
    counters.levels = {{"host", seconds(used_), seconds(cpus_ * now_)}};
    counters.yielding = seconds(niced_);
    core_.observe_use(counters);
  }

  static JobRequest job(const std::string& key) {
    JobRequest request;
    request.key = key;
    request.measured = true;
    return request;
  }
  std::vector<Admitted> submit(const std::string& key, int count = 1) {
    for (int i = 0; i < count; ++i) core_.submit(job(key), at(now_));
    return core_.pass(at(now_));
  }
  void measure(const Admitted& job, double wall, double cpu, double delay = 0) {
    JobUsage usage;
    usage.wall = seconds(wall);
    usage.cpu = seconds(cpu);
    usage.cpu_delay = seconds(delay);
    core_.measured(job.slot, usage, at(now_));
  }
  std::string limiting() {
    const Status status = core_.status(at(now_));
    return status.limiting ? to_sentence(*status.limiting) : "";
  }

  double now_ = 0, used_ = 0, niced_ = 0, cpus_ = 2;
  std::uint64_t blocked_ = 0;  ///< Tasks that wait for I/O.
  Core core_;
};

}  // namespace sluice::cpu_test

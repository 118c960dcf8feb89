#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "governor/core.h"
#include "model/host.h"
#include "model/job_watch.h"
#include "sluice/options.h"

namespace sluice::model {

/// A job as it is submitted.
struct Work {
  std::string key, program;  ///< By which it is learned.
  std::vector<Phase> phases;
};

struct ExecutorOptions {
  /// `none`: every job costs what the formula says of one node.
  enum class Learning { none, history };
  /// `reserved`: memory is reserved for jobs, and the brake suspends them, as the daemon does it.
  enum class Memory { unlimited, reserved };

  WindowOptions window;
  CostOptions cost;
  ReservationOptions reservation;
  GovernorOptions::WhenRed when_red = GovernorOptions::WhenRed::start_none;
  Learning learning = Learning::history;
  Memory memory = Memory::unlimited;
  double load_limit = 2.5;  ///< load1 per CPU; > 0.
  /// How the counters are read; empty: as the host has them.
  std::function<UseCounters(const Host&)> meter;
};

/// One Sluice on a host: the governor's core with what the daemon does around it, at the daemon's
/// times. It measures its jobs and the machine four times a second, reads load, memory and memory
/// pressure each `window.interval`, and starts what the core admits. Not thread-safe.
class Executor {
 public:
  /// `host` must outlive it.
  Executor(Host& host, ExecutorOptions options);

  void submit(Work work);
  /// Starts what may start, if anything has changed since the last call.
  void admit();
  /// Follows a step of the host: ends those of `ended` that are its jobs, measures, and admits.
  void follow(std::span<const Host::Ended> ended);

  std::size_t running() const { return core_.running(); }
  std::size_t pending() const { return core_.pending(); }
  Points size() const { return core_.size(); }
  Points usage() const { return core_.usage(); }
  bool is_red() const;
  /// Core seconds that its jobs have used so far.
  double cpu_seconds() const;
  /// Every change of the size, in order.
  const std::vector<WindowChange>& changes() const { return changes_; }
  const Core& core() const { return core_; }

 private:
  GovernorOptions governor_options() const;
  CostModel cost_model() const;
  bool reserves() const { return options_.memory == ExecutorOptions::Memory::reserved; }
  JobRequest request_of(const Work& work) const;
  void end(const Host::Ended& ended);
  void read_sensors();
  void sample();
  bool is_each(Duration period, Duration offset) const;

  Host& host_;
  ExecutorOptions options_;
  JobWatch watch_;
  Core core_;
  std::unordered_map<std::uint64_t, Work> pending_;
  std::vector<WindowChange> changes_;
  double ended_cpu_ = 0;
  bool is_due_ = false;  ///< Something may start.
};

}  // namespace sluice::model

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executor.h"

// Worlds in which `law: knee` is judged: hosts, jobs, and what came of them.

namespace sluice::model {

/// Numbers that look random and are the same everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  double between(double low, double high);
  std::size_t below(std::size_t count);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

/// `count` compilers of 0.5 to 5 s, one core each, mostly of keys of their own.
std::vector<Work> compilers(int count);
/// What a process that sleeps does: a millisecond of CPU time at its start, and nothing.
std::vector<Phase> sleeping(double seconds);
/// `count` jobs of one program, each of its own key.
std::vector<Work> alike(int count, const std::string& program, std::vector<Phase> phases);
/// `count` jobs of 0.5 to 3 s that use no CPU.
std::vector<Work> sleepers(int count);
std::vector<Work> shuffled(std::vector<Work> works, std::uint64_t seed = 5);
std::vector<Work> joined(std::vector<Work> first, const std::vector<Work>& second);

/// What came of some jobs.
struct Course {
  double seconds = 0;            ///< Until the last ended, or the given end.
  std::size_t left = 0;          ///< Jobs that have not ended.
  std::size_t most_running = 0;  ///< At once.
  double most_runnable = 0;      ///< Threads of jobs at once.
  double runnable_mean = 0;      ///< The same, over time.
  int reversals = 0;             ///< Of the size: from growing to shrinking or back.
  double most_growth = 1;        ///< Largest size / smallest in the second before.
  std::vector<WindowChange> changes;
};

/// A host with one executor under `law: knee`, and what is seen of it.
class World {
 public:
  explicit World(HostOptions host, ExecutorOptions executor = {});

  void submit(const std::vector<Work>& works);
  /// Runs until all jobs have ended, at most until this second.
  Course run(double until = 100'000);
  /// Runs to this second, jobs or not.
  void run_to(double second);

  Host& host() { return *host_; }
  Executor& executor() { return *executor_; }
  const Course& course();

 private:
  void step();

  std::unique_ptr<Host> host_;
  std::unique_ptr<Executor> executor_;
  Course course_;
  double runnable_sum_ = 0;
};

/// Seconds that the same jobs take with `count` of them at once.
double fixed(HostOptions host, const std::vector<Work>& works, std::size_t count);
/// The least of these.
double best_fixed(const HostOptions& host, const std::vector<Work>& works,
                  const std::vector<std::size_t>& counts);

}  // namespace sluice::model

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "governor/memory/memory_trend.h"
#include "sluice/prediction.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

class Runner;

/// One action of the brake, with the figures behind the decision.
struct BrakeAction {
  enum class What { suspended, resumed, ended };
  What what = What::suspended;
  std::uint64_t job = 0;
  Bytes job_memory;
  MemoryLimit level;  ///< The level closest to its limit.

  /// "1.9 GiB of 2.0 GiB used (host)".
  std::string cause() const;
  /// "suspended job 4711, which holds 612.0 MiB: " followed by the cause.
  std::string sentence() const;
};

/// The callbacks that carry out the brake's orders.
struct BrakeCallbacks {
  std::function<bool(std::uint64_t)> is_suspended;
  /// An empty function leaves it to whoever sees the actions that `poll` returns.
  std::function<void(std::uint64_t)> suspend = {}, resume = {}, end = {};
  /// Growth of a level's use in bytes per second; nullopt, or an empty function, if unknown.
  std::function<std::optional<double>(const MemoryLimit&)> growth = {};
  /// Jobs that the brake leaves alone now: they count neither as running, of which one always must,
  /// nor as suspended. An empty function exempts none.
  std::function<bool(std::uint64_t)> is_exempt = {};
};

/// Watches the memory of jobs and carries out the decisions of `decide_brake`. Job numbers may be
/// any unique numbers; jobs of a Runner use the pid of their first process. Call `poll` about ten
/// times a second: a compiler takes a quarter of a gigabyte in that second. Not thread-safe.
class MemoryBrake {
 public:
  /// Whether a job may be killed and run again from its beginning.
  enum class Retry { never, allowed };

  /// Call it for each job in the order in which they start. `owner`: any number that identifies the
  /// owner.
  void started(std::uint64_t job, Retry retry, std::uint64_t owner = 0);
  /// What the job holds now, and what it is expected to hold at most.
  void update_usage(std::uint64_t job, const JobUsage& usage, const ExpectedPeak& expected,
                    TimePoint now);
  void ended(std::uint64_t job) { jobs_.erase(job); }
  /// Whether a job that it suspended has neither gone on nor ended. Then call `poll` also as a job
  /// ends, before the next one starts, which would take the room.
  bool suspends_any() const;

  /// Samples the limits once and applies the resulting actions to the runner's jobs.
  std::vector<BrakeAction> poll(const std::vector<MemoryLimit>& limits, Runner& runner);
  /// The same for jobs outside a Runner.
  std::vector<BrakeAction> poll(const std::vector<MemoryLimit>& limits,
                                const BrakeCallbacks& callbacks);

  struct Counts {
    std::uint64_t suspended = 0, resumed = 0, ended = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Watched {
    std::uint64_t turn = 0;
    Retry retry = Retry::never;
    std::uint64_t owner = 0;
    MemoryTrend memory;
    ExpectedPeak expected;
    bool suspended = false;
  };

  std::map<std::uint64_t, Watched> jobs_;
  std::uint64_t last_turn_ = 0;
  Counts counts_;
};

}  // namespace sluice

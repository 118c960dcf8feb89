#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/prediction.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

class Runner;

/// One use of the brake, with the numbers that decided.
struct BrakeAction {
  enum class What { suspended, resumed, ended };
  What what = What::suspended;
  std::uint64_t job = 0;
  Bytes job_memory;
  MemoryLimit level;  ///< That was nearest to its limit.

  /// "1.9 GiB of 2.0 GiB used (host)".
  std::string cause() const;
  /// "suspended job 4711, which holds 612.0 MiB: " and the cause.
  std::string sentence() const;
};

/// What carries out the brake's orders.
struct BrakeHands {
  std::function<bool(std::uint64_t)> is_suspended;
  std::function<void(std::uint64_t)> suspend, resume, end;
  /// What a level's use grows by, bytes a second; empty, or none: not known.
  std::function<std::optional<double>(const MemoryLimit&)> growth = {};
  /// Jobs that are left alone now: they neither run, of which one always must, nor are suspended.
  /// Empty: none.
  std::function<bool(std::uint64_t)> is_exempt = {};
};

/// Watches the memory of jobs and has done what `decide_brake` says. Jobs go by any number that is
/// unique; those of a Runner by the process that they began with. Look some ten times a second: a
/// compiler takes a quarter of a gigabyte in one. Not thread-safe.
class EmergencyBrake {
 public:
  /// Whether a job may be ended and run again from its beginning.
  enum class Retry { never, allowed };

  /// Jobs are told of in the order in which they start. `owner`: whose it is, by any number.
  void started(std::uint64_t job, Retry retry, std::uint64_t owner = 0);
  /// What it holds now, and what it was expected to hold at most, in bytes.
  void note(std::uint64_t job, const JobUsage& usage, double expected_peak, TimePoint now);
  void ended(std::uint64_t job);

  /// One look at the limits; what has to be done is done to the runner's jobs.
  std::vector<BrakeAction> look(const std::vector<MemoryLimit>& limits, Runner& runner);
  /// The same for jobs that no runner holds.
  std::vector<BrakeAction> look(const std::vector<MemoryLimit>& limits, const BrakeHands& hands);

  struct Counts {
    std::uint64_t suspended = 0, resumed = 0, ended = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Watched {
    std::uint64_t turn = 0;
    Retry retry = Retry::never;
    std::uint64_t owner = 0;
    double used = 0, expected_peak = 0, growth = 0;
    TimePoint noted;
  };

  std::map<std::uint64_t, Watched> jobs_;
  std::uint64_t last_turn_ = 0;
  Counts counts_;
};

}  // namespace sluice

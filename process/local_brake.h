#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "process/child/resume_on_exit.h"
#include "process/memory_brake.h"
#include "sluice/options.h"

namespace sluice {

/// The brake's memory meter on this host; empty if the brake is off.
MemoryMeter brake_meter(ReservationOptions::Brake brake);

/// One run of a jobserver's client, see `jobserver::TokenRuns`.
struct BrakedRun {
  std::uint64_t number = 0;  ///< Unique.
  ProcessIdentity process;   ///< Its first process.
  JobUsage usage;
  ExpectedPeak expected;
};

/// The emergency brake for processes started by others: suspends a run with SIGSTOP to all its
/// processes, resumes it with SIGCONT, and never ends one. Processes that a debugger or a terminal
/// had stopped before stay stopped. Nothing stays suspended after this process, however it ends.
/// Not thread-safe.
class LocalBrake {
 public:
  explicit LocalBrake(MemoryMeter meter) : meter_(std::move(meter)) {}

  /// Call it about ten times a second with all current runs; returns the actions taken, by the
  /// first process of each run. Ignores runs that this process may not signal.
  std::vector<BrakeAction> poll(std::vector<BrakedRun> alive, TimePoint now);

  /// Resumes what is left of the run and stops watching it.
  void gone(std::uint64_t number);

  /// Memory is short, or a run is suspended, so the next call must not be late.
  bool is_urgent() const { return is_short_ || !held_.empty(); }
  bool holds_any() const { return !held_.empty(); }
  bool holds(std::uint64_t number) const { return held_.contains(number); }
  /// Total suspended time of a run that was in the last call.
  Duration suspended_for(std::uint64_t number, TimePoint now) const;

 private:
  struct Held {
    std::set<ProcessIdentity> processes;
    TimePoint since;
  };
  struct Known {
    ProcessIdentity process;
    Duration suspended{0};
  };

  void meet(const BrakedRun& run);
  void stop(std::uint64_t number, Held& held);
  void resume(std::uint64_t number, TimePoint now);
  std::uint64_t number_of(std::uint64_t process) const;

  MemoryMeter meter_;
  MemoryBrake brake_;
  ResumeOnExit guard_;
  std::map<std::uint64_t, Known> known_;
  std::map<std::uint64_t, Held> held_;
  bool is_short_ = false;
};

}  // namespace sluice

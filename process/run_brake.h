#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "process/emergency_brake.h"
#include "process/stop_guard.h"
#include "sluice/options.h"

namespace sluice {

/// What the brake looks at on this host; empty where it is switched off.
MemoryMeter brake_meter(ReservationOptions::Brake brake);

/// One run of a jobserver's client, as `TokenRuns` sees it.
struct BrakedRun {
  std::uint64_t number = 0;  ///< Unique.
  ProcessIdentity process;   ///< That it began with.
  JobUsage usage;
  double expected_peak = 0;  ///< Bytes.
};

/// The emergency brake for processes that somebody else started: a run is suspended by SIGSTOP to
/// all its processes and goes on by SIGCONT; none is ever ended. What was stopped already before,
/// by a debugger or a terminal, stays so. Nothing stays stopped behind this process, however it
/// ends. Not thread-safe.
class RunBrake {
 public:
  explicit RunBrake(MemoryMeter meter) : meter_(std::move(meter)) {}

  /// To be called some ten times a second with all runs there are; what was done, by the process
  /// that each run began with. Those that this process may not signal are left alone.
  std::vector<BrakeAction> look(std::vector<BrakedRun> alive, TimePoint now);

  /// What is left of it goes on; it is looked at no more.
  void gone(std::uint64_t number);

  /// Memory is so short, or something is suspended, that the next look must not be late.
  bool is_urgent() const { return is_short_ || !held_.empty(); }
  bool holds_any() const { return !held_.empty(); }
  bool holds(std::uint64_t number) const { return held_.contains(number); }
  /// How long a run that was not gone at the last look has been suspended in all.
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
  EmergencyBrake brake_;
  StopGuard guard_;
  std::map<std::uint64_t, Known> known_;
  std::map<std::uint64_t, Held> held_;
  bool is_short_ = false;
};

}  // namespace sluice

#pragma once

#include <optional>

#include "sensors/files/procfs.h"
#include "sluice/units.h"

namespace sluice {

/// How long jobs throttled at a limit of their own (memory.high) have waited since the last sample,
/// as far as they are in the group whose pressure is read, or on the host.
struct SlowedStall {
  double waited = 0;     ///< Seconds, summed over these jobs, which may have waited at once.
  bool is_whole = true;  ///< False if one has ended: its wait since the last sample is lost.
  std::size_t jobs = 0;
  /// The largest value of any other job's own group, per cent of the last 10 s.
  double other_some = 0, other_full = 0;
};

/// Removes from a group's or a host's pressure what our own limits cause. A job throttled at its
/// memory.high waits for memory, and the kernel charges that to every ancestor group, so one slow
/// job would stop all admission.
///
/// A group waits if one task in it does, so its `some` is at most the wait of its throttled jobs
/// plus that of the rest, and the rest has waited at least the difference. The same holds for
/// `full`: when all tasks wait, either a throttled job does or all of the rest. So the result is
/// the difference; where both waited at once that is too little, but it is never below what any
/// other job's own group measured. Both sides are averaged over the same 10 s from the kernel's
/// counters, because the kernel computes its own averages of two groups at different times. Not
/// thread-safe.
class OwnStall {
 public:
  /// The rest of `whole`; unchanged if no job was throttled lately.
  Psi rest(const Psi& whole, const SlowedStall& slowed, TimePoint now);

 private:
  struct Averages {
    double some = 0, full = 0, slowed_some = 0, slowed_full = 0;
  };

  void add(const Psi& whole, const SlowedStall& slowed, double seconds);

  std::optional<TimePoint> last_;
  double some_total_ = 0, full_total_ = 0;
  Averages averages_;
};

}  // namespace sluice

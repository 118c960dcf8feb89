#pragma once

#include <optional>

#include "sensors/procfs.h"
#include "sluice/units.h"

namespace sluice {

/// What jobs that are held back at a limit of their own (memory.high) have waited since the last
/// look, as far as they are in the group whose pressure is read, or on the host.
struct SlowedStall {
  double waited = 0;     ///< Seconds, the sum over these jobs, which may have waited at once.
  bool is_whole = true;  ///< False: one has ended, with what it had waited since.
  std::size_t jobs = 0;
  /// The most that any other job's own group has measured, per cent of the last 10 s.
  double other_some = 0, other_full = 0;
};

/// Takes out of a group's or a host's pressure what our own limits make. A job that is slowed down
/// at its memory.high waits for memory, and the kernel charges that to every group above, so that
/// one slow job would stop all admission.
///
/// That a group waits needs one task in it that does, so `some` of it is at most what its slowed
/// jobs wait and what the rest waits, and the rest has waited at least the difference. The same
/// holds for `full`: when all tasks wait, either a slowed job does or all of the rest. So the
/// difference is what is left; where both waited at once it is too little, and never less than any
/// other job's own group measured. Both sides are averaged over the same 10 s from the kernel's
/// counters, since its own averages of two groups are taken at different times. Not thread-safe.
class OwnStall {
 public:
  /// What is left of `whole`. As it is, where no job has been slowed down of late.
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

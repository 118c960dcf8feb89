#pragma once

#include <optional>

#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// The kernel's last kill of a whole group (memory.oom.group), as far as it was seen.
struct GroupKill {
  TimePoint seen;  ///< The group's count of such kills (`oom_group_kill`) was first seen risen.
  /// What the group holds was last seen to reach a new peak; none: the kernel does not say.
  std::optional<TimePoint> peak;
};

/// What can be known of a job that nobody finished, when its connection or process has ended.
struct LostHolder {
  TimePoint now;
  /// The signal that its process died by; none: nobody can tell, since its parent has waited for
  /// it, it is another user's, or it died by none.
  std::optional<int> signal;
  std::optional<GroupKill> kill;  ///< Of a group that its process ran in; none: there was none.
};

/// How a job ended that nobody finished. A kill of a whole group takes whoever holds a job together
/// with the job, so that nobody is left to say how it ended. Where such a kill was seen as the
/// holder was lost, the job was
///
///  - `oom`, if its process died by SIGKILL, or, where that cannot be known, if it last told what
///    it uses (`last_use`) within 2 s of the group's peak: so it ran while the memory ran out;
///  - `unknown` otherwise: it may have been over before, or been idle while others took the memory.
///
/// Without such a kill it is `otherwise`. Pure.
Outcome outcome_of_lost(const LostHolder& holder, std::optional<TimePoint> last_use,
                        Outcome otherwise);

}  // namespace sluice

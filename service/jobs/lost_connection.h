#pragma once

#include <optional>

#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// The last observed kill of a whole group by the kernel (memory.oom.group).
struct GroupKill {
  /// First poll that saw the group's count of such kills (`oom_group_kill`) increased.
  TimePoint seen;
  /// Last poll that saw the group's memory reach a new peak; nullopt if the kernel does not say.
  std::optional<TimePoint> peak;
};

/// What is known of an unfinished job when its connection or process has ended.
struct LostHolder {
  TimePoint now;
  /// The signal that killed its process. nullopt if none did, or if it is unknown because the
  /// parent has reaped the process or it belongs to another user.
  std::optional<int> signal;
  /// Of a group that its process ran in; nullopt if there was none.
  std::optional<GroupKill> kill;
};

/// Outcome of a job that nobody finished. A kill of a whole group takes the holder of a job
/// together with the job, so nobody is left to report the outcome. If such a kill was seen when the
/// holder was lost, the outcome is
///
///  - `oom` if its process died by SIGKILL or, if that is unknown, if it last reported its usage
///    (`last_use`) within 2 s of the group's peak, so it ran while memory ran out;
///  - `unknown` otherwise: it may have ended before, or been idle while others took the memory.
///
/// Without such a kill it is `otherwise`. Pure.
Outcome outcome_of_lost(const LostHolder& holder, std::optional<TimePoint> last_use,
                        Outcome otherwise);

}  // namespace sluice

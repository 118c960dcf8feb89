#pragma once

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// What the daemon itself has read of the processes of a job.
struct LeaseCpu {
  Duration span{0};     ///< How long it has been reading them.
  Duration cpu{0};      ///< User and system time in that span.
  Duration delay{0};    ///< Estimated time in which they waited for a CPU.
  Duration stopped{0};  ///< Of the span, with every process stopped.
  /// Of the span, with something not seen: since the last sample, and between the two samples
  /// between which a process vanished whose time went to nobody that is read.
  Duration unseen{0};
};

/// The claim of a job's holder, as far as what was read confirms it: CPU time and delay are raised
/// to what was read, and cut to that plus what `cores` can have done unseen, before the reading
/// began (`elapsed` is the time since the job's admission) or since. A wall time shorter than the
/// processes ran is raised, because a rate would be false by as much. Pure.
JobUsage confirmed(JobUsage claimed, const LeaseCpu& read, Duration elapsed, double cores);

}  // namespace sluice

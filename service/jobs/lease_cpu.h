#pragma once

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// What the daemon itself has read of the processes of a job.
struct LeaseCpu {
  Duration span{0};     ///< How long it had been reading them when it last did.
  Duration age{0};      ///< Time since then.
  Duration cpu{0};      ///< User and system time in that span.
  Duration delay{0};    ///< Estimated time in which they waited for a CPU.
  Duration stopped{0};  ///< Of the span, with every process stopped.
  /// Parts of the span in which CPU time may be missing: any interval between samples in which a
  /// process vanished whose time no process that is read inherited.
  Duration unseen{0};
};

/// Limits the usage that a job's holder claims to what `read` allows. CPU time and delay are at
/// least those read, and at most those plus what `cores` can have done before the reading began
/// (`elapsed`: time since the job's admission) and in the time `unseen`. A wall time shorter than
/// the time that the processes ran is raised, because rates would be wrong by as much. Pure.
JobUsage confirmed(JobUsage claimed, const LeaseCpu& read, Duration elapsed, double cores);

/// The same usage for those who compute rates from it: if its CPU time is the one read, the wall
/// time is that of the reading, too. With times of different moments a job of one thread would seem
/// to pause and then to use two CPUs. Pure.
JobUsage as_of_reading(JobUsage usage, const LeaseCpu& read);

}  // namespace sluice

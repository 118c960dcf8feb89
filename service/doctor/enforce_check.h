#pragma once

#include <string>
#include <vector>

#include "service/doctor/survey.h"
#include "sluice/options.h"

namespace sluice {

/// Facts of a host that decide whether `memory.enforce` works there.
struct EnforceHost {
  bool has_memory_groups = false;  ///< Some memory controller can limit groups.
  bool has_memory_high = false;    ///< That controller is v2's.
  std::vector<OwnGroup> groups;    ///< As `sluice doctor` sees them.
  Bytes swap;
  std::string no_swap_file;  ///< A memory.swap.max of 0 that applies to this process; or empty.
};

/// Which process starts the jobs, and so has them in its groups: this one, as for `batch` and a
/// daemon with work sources, or clients anywhere on this host, possibly in other groups.
enum class JobsRunBy { itself, clients };

/// The problem with `memory.enforce` here, naming the option; both empty if there is none.
struct EnforceVerdict {
  std::string refusal;  ///< It works for no job.
  std::string warning;  ///< It does not work for some jobs, each of which reports that, too.
};

/// Refuses `high` without swap, because a job at its limit would slow to a standstill, and `max` if
/// nothing can be limited. Pure.
EnforceVerdict judge_enforce(ReservationOptions::Enforce enforce, const EnforceHost& host,
                             JobsRunBy by);

/// The same for this host.
EnforceVerdict judge_enforce_here(ReservationOptions::Enforce enforce, JobsRunBy by);

}  // namespace sluice

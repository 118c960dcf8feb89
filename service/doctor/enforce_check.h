#pragma once

#include <string>
#include <vector>

#include "service/doctor/doctor.h"
#include "sluice/options.h"

namespace sluice {

/// What of a host decides whether `memory.enforce` can be kept there.
struct EnforceHost {
  bool has_memory_groups = false;  ///< A memory controller is there for somebody's groups.
  bool has_memory_high = false;    ///< It is that of v2.
  std::vector<OwnGroup> groups;    ///< As `sluice doctor` sees them.
  Bytes swap;
  std::string no_swap_file;  ///< A memory.swap.max of 0 that holds for this process; else empty.
};

/// Who starts the jobs, in whose groups they then are: this process, as `batch` and a daemon with
/// work sources do, or clients somewhere on this host, whose groups may be others.
enum class JobsRunBy { itself, clients };

/// What is wrong with `memory.enforce` here, naming the option; both empty: nothing.
struct EnforceVerdict {
  std::string refusal;  ///< It cannot be kept for any job.
  std::string warning;  ///< It cannot be kept for some, which is told of each of them, too.
};

/// `high` is refused without swap, where a job at its limit would be slowed to a standstill, and
/// `max` where nothing can be limited. Pure.
EnforceVerdict judge_enforce(ReservationOptions::Enforce enforce, const EnforceHost& host,
                             JobsRunBy by);

/// The same for this host.
EnforceVerdict judge_enforce_here(ReservationOptions::Enforce enforce, JobsRunBy by);

}  // namespace sluice

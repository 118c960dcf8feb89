#pragma once

#include <cstdint>
#include <optional>

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// Upper bounds on what a job can have used, whatever its holder reports.
struct MostUsed {
  Duration age{0};                       ///< Of its lease, since admission.
  double cores = 1e6;                    ///< Of this machine.
  Bytes memory{std::uint64_t{1} << 60};  ///< Of this machine.
  /// By the kernel since then; nullopt if it does not say.
  std::optional<std::uint64_t> oom_kills;
};

/// Clamps a report to what is possible: wall time to the lease's age, CPU time plus delay to the
/// time of all cores within the wall time (within the lease's age if no wall time is reported),
/// memory to the machine's, and kills to the kernel's count. Pure.
JobUsage bounded(JobUsage usage, const MostUsed& most);

}  // namespace sluice

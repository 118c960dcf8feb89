#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// What a job can have used at most, whatever its holder says.
struct MostUsed {
  Duration age{0};                         ///< Of its lease, from its admission on.
  double cores = 1e6;                      ///< Of this machine.
  Bytes memory{std::uint64_t{1} << 60};    ///< Of this machine.
  std::optional<std::uint64_t> oom_kills;  ///< By the kernel since; none: it does not say.
};

/// A report as far as it can be true: wall time at most the lease's age, CPU time and the delay
/// together at most that of all cores in that time (in the lease's whole age where no wall time is
/// told), memory at most the machine's, and kills at most what the kernel counted. Pure.
JobUsage bounded(JobUsage usage, const MostUsed& most);

}  // namespace sluice

#pragma once

#include <optional>

#include "sensors/psi.h"
#include "sluice/reading.h"

namespace sluice {

/// The most of the last 10 s in which some task, or all tasks at once, may have waited for memory.
struct MemoryPressureLimits {
  double some = 0.2;
  double full = 0.1;
};

/// avg10 / most of both; of cgroup and host the worse one counts as a whole.
Result<Reading> memory_pressure_reading(const PsiSample& tightest,
                                        const std::optional<PsiSample>& host,
                                        const MemoryPressureLimits& limits);

/// The `memory_pressure` sensor. Not thread-safe.
class MemoryPressureSensor {
 public:
  MemoryPressureSensor(HostPaths paths, MemoryPressureLimits limits);
  Result<Reading> read(TimePoint now);

 private:
  TightestPsi psi_;
  MemoryPressureLimits limits_;
};

}  // namespace sluice

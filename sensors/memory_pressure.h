#pragma once

#include <optional>

#include "sensors/own_stall.h"
#include "sensors/psi.h"
#include "sensors/slowed_jobs.h"
#include "sluice/reading.h"

namespace sluice {

/// The maximum part of the last 10 s in which some task, or all tasks at once, may wait for memory.
struct MemoryPressureLimits {
  double some = 0.2;
  double full = 0.1;
};

/// avg10 / most of both lines; the worse one of cgroup and host counts as a whole.
Result<Reading> memory_pressure_reading(const PsiSample& tightest,
                                        const std::optional<PsiSample>& host,
                                        const MemoryPressureLimits& limits);

/// Whether jobs are throttled at limits of their own (memory.high), whose stalls then say nothing
/// about the machine.
enum class SlowsJobs { no, yes };

/// The `memory_pressure` sensor. Not thread-safe.
class MemoryPressureSensor {
 public:
  MemoryPressureSensor(const HostPaths& paths, MemoryPressureLimits limits,
                       SlowsJobs slows = SlowsJobs::no);
  Result<Reading> read(TimePoint now);

 private:
  /// One source of pressure, without the stalls of throttled jobs in it.
  struct Scope {
    std::string folder;
    OwnStall stall;
  };
  void leave_out(PsiSample& sample, Scope& scope, TimePoint now) const;

  NearestPsi psi_;
  MemoryPressureLimits limits_;
  std::optional<SlowedJobs> slowed_;
  Scope group_, host_;
};

}  // namespace sluice

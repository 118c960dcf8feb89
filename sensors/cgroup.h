#pragma once

#include <optional>

#include "sensors/cgroup/memory.h"
#include "sensors/cgroup/throttle.h"
#include "sensors/files/file.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// The limits that a cgroup is judged by.
struct CgroupLimits {
  double memory = 0.95;  ///< Maximum working set, as a part of the memory limit.
  /// Maximum part of periods in which the CPU quota runs out; nullopt: any.
  std::optional<double> throttled = 0.5;
};

/// Memory: working set / (ratio x limit) of the level where that is largest, each level with its
/// own usage and limit. Throttling: ratio / most, pressure 0 until it is known. Unlimited memory is
/// a condition without a limit.
Reading cgroup_reading(const MemorySnapshot& memory, const std::optional<Throttling>& throttling,
                       const CgroupLimits& limits);

/// The `cgroup` sensor. Not thread-safe.
class CgroupSensor {
 public:
  CgroupSensor(const HostPaths& paths, std::optional<Bytes> host_total, CgroupLimits limits)
      : memory_(paths, host_total), throttle_(paths), limits_(limits) {}

  /// Fails if either controller fails: half a reading would mislead.
  Result<Reading> read(TimePoint now);

 private:
  CgroupMemory memory_;
  CgroupThrottle throttle_;
  CgroupLimits limits_;
};

}  // namespace sluice

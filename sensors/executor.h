#pragma once

#include <memory>
#include <optional>

#include "sensors/cgroup.h"
#include "sensors/cgroup/executor_group.h"
#include "sensors/files/file.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// A reading of the limits alone: `used` is what the pod's processes hold; nullopt if they are not
/// visible, and then the limit is only displayed.
Reading limits_reading(const ExecutorGroup& group, const std::optional<Bytes>& used,
                       const CgroupLimits& limits);

/// The `cgroup` sensor of a sidecar: judges the executor's group. Fails if nothing is known about
/// it or its container has ended: then nothing may be admitted. Not thread-safe.
class ExecutorSensor {
 public:
  /// `paths` must name the group.
  ExecutorSensor(const HostPaths& paths, std::optional<Bytes> host_total, CgroupLimits limits)
      : group_(paths.executor),
        paths_(paths),
        sensor_(paths, host_total, limits),
        limits_(limits) {}
  Result<Reading> read(TimePoint now);

 private:
  std::shared_ptr<const ExecutorGroup> group_;
  HostPaths paths_;
  CgroupSensor sensor_;
  CgroupLimits limits_;
};

}  // namespace sluice

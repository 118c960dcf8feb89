#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "sensors/files/growth.h"
#include "sensors/files/result.h"
#include "sluice/units.h"

namespace sluice {

/// How often a CPU quota ran out.
struct Throttling {
  /// Throttled part of the periods between the last two readings; nullopt before the second.
  std::optional<double> ratio;
  std::string where;  ///< The cgroup with the quota, printable.
};

/// Reads the throttling of this process's cgroup and of its ancestors. Not thread-safe.
class CgroupThrottle {
 public:
  explicit CgroupThrottle(HostPaths paths) : paths_(std::move(paths)) {}

  /// The worst level; nullopt if no level ever had a quota.
  Result<std::optional<Throttling>> read(TimePoint now);

 private:
  struct Level {
    std::string where;
    KeptFile stat;
    GrowthRatio growth;
  };

  std::optional<ReadFailure> find_group();
  Result<std::optional<Throttling>> read_levels(TimePoint now);

  HostPaths paths_;
  RescanTimer rescan_;
  std::vector<std::string> folders_;
  std::vector<Level> levels_;
};

}  // namespace sluice

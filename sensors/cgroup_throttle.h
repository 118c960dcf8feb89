#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/file.h"
#include "sensors/growth.h"
#include "sensors/result.h"
#include "sluice/units.h"

namespace sluice {

/// How often a CPU quota ran out.
struct Throttling {
  /// Part of the periods between the last two readings; none before there are two of them.
  std::optional<double> ratio;
  std::string where;  ///< The cgroup with the quota, fit for printing.
};

/// Reads the throttling of this process's cgroup and of all above it. Not thread-safe.
class CgroupThrottle {
 public:
  explicit CgroupThrottle(HostPaths paths);

  /// The worst level; none where there has been no quota on any.
  Result<std::optional<Throttling>> read(TimePoint now);

 private:
  struct Level {
    std::string where;
    KeptFile stat;
    GrowthRatio growth;
  };

  std::optional<ReadFailure> look_up();
  Result<std::optional<Throttling>> read_levels(TimePoint now);

  HostPaths paths_;
  LookAgain look_again_;
  std::vector<std::string> folders_;
  std::vector<Level> levels_;
};

}  // namespace sluice

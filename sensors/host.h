#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/file.h"
#include "sluice/units.h"

namespace sluice {

/// What this process, or its executor, may use of the host, found out once.
struct HostFacts {
  int cpus_online = 1;              ///< >= 1
  std::optional<int> cpus_allowed;  ///< By affinity and cpuset.
  std::optional<double> cpu_quota;  ///< The least along the cgroup path; none is unlimited.
  double cpus_usable = 1;           ///< The least of the three, > 0; a fraction under a quota.
  std::optional<Bytes> memory_total;
  CgroupPlaces cgroups;
  bool measures_cpu_pressure = false;
  bool measures_memory_pressure = false;
  bool measures_io_pressure = false;
  std::vector<std::string> problems;  ///< What could not be found out, a sentence each.
};

/// Looks at the host. What cannot be read is named in `problems` and left at the value that
/// limits least. Throws only std::bad_alloc.
HostFacts look_at_host(const HostPaths& paths);

}  // namespace sluice

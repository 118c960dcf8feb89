#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "sluice/units.h"

namespace sluice {

/// The host resources that this process, or its executor, may use; determined once.
struct HostFacts {
  int cpus_online = 1;              ///< >= 1
  std::optional<int> cpus_allowed;  ///< By affinity and cpuset.
  std::optional<double> cpu_quota;  ///< The smallest on the cgroup path; nullopt: unlimited.
  double cpus_usable = 1;           ///< The smallest of the three, > 0; a fraction under a quota.
  std::optional<Bytes> memory_total;
  CgroupPlaces cgroups;
  bool is_niced = false;  ///< This process runs above nice 0, and so do the jobs that it starts.
  bool measures_cpu_pressure = false;
  bool measures_memory_pressure = false;
  bool measures_io_pressure = false;
  std::vector<std::string> problems;  ///< Facts that could not be determined, one sentence each.
};

/// Inspects the host. A fact that cannot be read is named in `problems` and keeps its least
/// restrictive value. Throws only std::bad_alloc.
HostFacts read_host_facts(const HostPaths& paths);

}  // namespace sluice

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensors/files/file.h"
#include "sensors/host.h"
#include "sensors/memory_pressure.h"
#include "sluice/options.h"
#include "sluice/sensor.h"

namespace sluice {

/// Builds all sensors, in display order. Omits an `automatic` sensor if it makes no sense: `load`
/// if this process may not use all CPUs, `cpu_pressure` without a limit, the pressures if the
/// kernel does not measure them, `cgroup` if there is none. A sensor that is `on` stays and reports
/// why it cannot be read. If `paths` name an executor, `cgroup` is always present, for the
/// executor, and counts as red while it cannot be read.
///
/// `most_throttled` is the default of `sensors.cgroup.throttled`; nullopt: no limit.
///
/// `disk`, files and commands get a thread of their own. Throws std::invalid_argument if a value is
/// out of range, a limit is missing or two sensors share a name, naming the field
/// ("sensors.load.limit"), and std::system_error if a thread cannot be started.
std::vector<Sensor> build_sensors(const SensorOptions& options, const HostFacts& host,
                                  const HostPaths& paths,
                                  const std::optional<std::string>& state_dir,
                                  SlowsJobs slows = SlowsJobs::no,
                                  std::optional<double> most_throttled = 0.5);

/// The folders that `disk` watches by default: "/", the temporary folder and `state_dir`.
std::vector<std::string> default_disk_paths(const std::optional<std::string>& state_dir);

}  // namespace sluice

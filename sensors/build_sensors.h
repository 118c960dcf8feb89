#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensors/file.h"
#include "sensors/host.h"
#include "sensors/memory_pressure.h"
#include "sluice/options.h"
#include "sluice/sensor.h"

namespace sluice {

/// Every sensor there is, in the order in which people are shown them. A sensor whose presence is
/// `automatic` is left out where it makes no sense: `load` where this process may not use all CPUs,
/// `cpu_pressure` without a limit, the pressures where the kernel measures none, `cgroup` where
/// there is none. One that is `on` stays and says why it cannot be read. Where `paths` name an
/// executor, `cgroup` is always there, of that, and counts as red while it cannot be read.
///
/// `disk`, files and commands get a thread of their own. Throws std::invalid_argument for a value
/// out of range, a limit that is missing or two sensors of one name, naming the field
/// ("sensors.load.limit"), and std::system_error where no thread can be started.
std::vector<Sensor> build_sensors(const SensorOptions& options, const HostFacts& host,
                                  const HostPaths& paths,
                                  const std::optional<std::string>& state_dir,
                                  SlowsJobs slows = SlowsJobs::no);

/// The folders that `disk` watches unless told: "/", the temporary folder and `state_dir`.
std::vector<std::string> default_disk_paths(const std::optional<std::string>& state_dir);

}  // namespace sluice

#pragma once

#include "sensors/files/file.h"
#include "sensors/files/procfs.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// load1 / (per_cpu x cpus), for the CPUs online on the host: load1 counts all tasks of the host,
/// whatever a cgroup or affinity leaves to this process. Source of 2.5 per CPU: Zuul.
Reading load_reading(const LoadAverage& load, int cpus, double per_cpu);

/// The `load` sensor. Not thread-safe.
class LoadSensor {
 public:
  LoadSensor(const HostPaths& paths, int cpus, double per_cpu)
      : file_(paths.at("/proc/loadavg")), cpus_(cpus), per_cpu_(per_cpu) {}
  Result<Reading> read(TimePoint now);

 private:
  KeptFile file_;
  int cpus_;
  double per_cpu_;
};

}  // namespace sluice

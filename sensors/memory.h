#pragma once

#include "sensors/files/file.h"
#include "sensors/files/procfs.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// least / (available / total): available is the kernel's MemAvailable, which includes droppable
/// cache.
Reading memory_reading(const MemInfo& memory, double least);

/// The `memory` sensor for the whole host. Not thread-safe.
class MemorySensor {
 public:
  MemorySensor(const HostPaths& paths, double least)
      : file_(paths.at("/proc/meminfo")), least_(least) {}
  Result<Reading> read(TimePoint now);

 private:
  KeptFile file_;
  double least_;
};

}  // namespace sluice

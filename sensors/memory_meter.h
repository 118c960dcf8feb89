#pragma once

#include "sensors/file.h"
#include "sensors/host.h"
#include "sluice/prediction.h"

namespace sluice {

/// The limits on memory that hold for this process and all below it, or for its executor where
/// `paths` name one: the host's memory, and each cgroup on the way up that has a limit of its own.
/// What is used of the host is what the kernel does not call available; what is used of a cgroup is
/// its working set.
MemoryMeter memory_meter(const HostPaths& paths, const HostFacts& host);

}  // namespace sluice

#pragma once

#include "sensors/files/file.h"
#include "sensors/host.h"
#include "sluice/prediction.h"

namespace sluice {

/// The memory limits that apply to this process and its descendants, or to its executor if `paths`
/// name one: the host's memory, and each ancestor cgroup that has a limit of its own. The host's
/// usage is everything the kernel does not report as available; a cgroup's usage is its working
/// set.
MemoryMeter memory_meter(const HostPaths& paths, const HostFacts& host);

}  // namespace sluice

#pragma once

#include <optional>

#include "sensors/files/file.h"
#include "sluice/units.h"

namespace sluice {

/// The memory held by the pod's processes, except this one and its descendants: the sum of resident
/// pages not shared with a file. nullopt if they are not visible, because each container has its
/// own processes.
std::optional<Bytes> pod_memory(const HostPaths& paths);

}  // namespace sluice

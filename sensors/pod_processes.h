#pragma once

#include <optional>

#include "sensors/file.h"
#include "sluice/units.h"

namespace sluice {

/// The memory that the processes of the pod hold, but for this one and those that it has started:
/// the sum of what is resident and not shared with a file. None where they cannot be seen, because
/// each container has its own processes.
std::optional<Bytes> pod_memory(const HostPaths& paths);

}  // namespace sluice

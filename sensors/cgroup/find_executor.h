#pragma once

#include <string>

#include "sensors/cgroup/executor_group.h"
#include "sensors/files/file.h"
#include "sensors/files/result.h"

namespace sluice {

// Where a sidecar finds its executor if that does not attach itself. A failure says what was
// searched and what is missing.

/// The group of a visible process with this name (`comm`), through /proc/PID/root. The pod must
/// share its processes, and the executor must have this process's user and no more privileges.
Result<ExecutorGroup> find_by_process(const std::string& name, const HostPaths& paths = {});

/// The group of the executor's container in the host's hierarchies, mounted at `hierarchy`: beside
/// this process's own group, recognised by device and inode, or in that of the pod whose uid is in
/// $POD_UID. `process` identifies the container if the process is visible; else it must be the only
/// other container that holds a significant amount of memory.
Result<ExecutorGroup> find_in_hierarchy(const std::string& hierarchy, const std::string& process);

/// The limits in the downward API's files: `memory_limit` in bytes, `cpu_limit` in thousandths of a
/// CPU. Either may be missing; 0 is none.
Result<ExecutorGroup> read_podinfo(const std::string& folder);

}  // namespace sluice

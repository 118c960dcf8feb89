#pragma once

#include <string>

#include "sensors/executor_group.h"
#include "sensors/file.h"
#include "sensors/result.h"

namespace sluice {

// Where a sidecar finds its executor when that does not attach by itself. A failure says what was
// looked for and what is missing.

/// The group of the process of this name (`comm`) that is visible here, through /proc/PID/root. The
/// pod must share its processes, and the executor have this process's user and no more rights.
Result<ExecutorGroup> find_by_process(const std::string& name, const HostPaths& paths = {});

/// The group of the executor's container in the host's hierarchies, mounted at `hierarchy`: beside
/// this process's own group, which is known by its device and inode, or in that of the pod whose
/// uid is in $POD_UID. `process` names it where that can be seen; else the container must be the
/// only one besides this one that holds any memory to speak of.
Result<ExecutorGroup> find_in_hierarchy(const std::string& hierarchy, const std::string& process);

/// The limits in the files that the downward API writes: `memory_limit` in bytes, `cpu_limit` in
/// thousandths of a CPU. Either may be missing; 0 is none.
Result<ExecutorGroup> read_podinfo(const std::string& folder);

}  // namespace sluice

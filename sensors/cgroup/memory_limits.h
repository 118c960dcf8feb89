#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "sensors/files/file.h"
#include "sluice/units.h"

namespace sluice {

/// A cgroup whose memory limit holds for a process.
struct GroupLimit {
  std::string folder;  ///< Printable.
  Bytes limit;
  bool is_own = false;  ///< The process is in this group itself, and groups above it are visible.

  bool operator==(const GroupLimit&) const = default;
};

/// The memory limits that hold for a process, nearest first; empty if it may use the whole host.
/// nullopt if its groups may not be known, such as those of a process that is invisible or has
/// ended. Reads the mounts of this process.
std::optional<std::vector<GroupLimit>> memory_limits_of(pid_t process, HostPaths paths = {});

}  // namespace sluice

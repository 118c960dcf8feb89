#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/cgroup/held_folder.h"
#include "sluice/units.h"

namespace sluice {

/// How a sidecar knows its executor's limits, best first: the executor passed its cgroup; it was
/// found through /proc/PID/root; or in a host hierarchy mounted here; only its limits are known,
/// from files of the downward API, or from the configuration.
enum class GroupSource { attach, procroot, hostpath, downward, config };
std::string_view to_string(GroupSource source);

/// The resources that the executor may use, which runs in another container than this process.
struct ExecutorGroup {
  std::optional<GroupSource> source;  ///< nullopt if nothing is known yet; `problem` says why.
  std::string problem;
  CgroupPlaces places;                ///< Its cgroup, held open; empty if only limits are known.
  std::vector<GroupFolder> folders;   ///< The folders that `places` lead to.
  std::optional<Bytes> memory_limit;  ///< Used if there is no cgroup; nullopt: unlimited.
  std::optional<double> cpus;         ///< Likewise.
};

/// The group of these directories. `wrong_with` must accept each.
ExecutorGroup executor_group(GroupSource source, std::vector<GroupFolder> folders);

/// Whether both lists contain the same directories for the same controllers.
bool is_same_group(const std::vector<GroupFolder>& one, const std::vector<GroupFolder>& other);

/// Why the group can no longer be read: its directories were removed when its container ended.
/// nullopt if it still exists.
std::optional<std::string> why_gone(const ExecutorGroup& group);

}  // namespace sluice

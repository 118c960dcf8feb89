#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/held_folder.h"
#include "sluice/units.h"

namespace sluice {

/// Where a sidecar has the limits of its executor from, the best first: the executor gave its
/// cgroup; it was found through /proc/PID/root; or in a hierarchy of the host that is mounted here;
/// only its limits are known, from files of the downward API, or from the configuration.
enum class GroupSource { attach, procroot, hostpath, downward, config };
inline constexpr std::array<GroupSource, 5> kGroupSources{
    GroupSource::attach, GroupSource::procroot, GroupSource::hostpath, GroupSource::downward,
    GroupSource::config};
std::string_view to_string(GroupSource source);

/// What of the machine the executor may use, which runs in another container than this process.
struct ExecutorGroup {
  std::optional<GroupSource> source;  ///< None: nothing is known of it yet, as `problem` says.
  std::string problem;
  CgroupPlaces places;                ///< Its cgroup, held open; none where only limits are known.
  std::vector<GroupFolder> folders;   ///< What `places` lead to.
  std::optional<Bytes> memory_limit;  ///< Where there is no cgroup; none: unlimited.
  std::optional<double> cpus;         ///< Likewise.
};

/// The group that these directories are of. Each must be right by `wrong_with`.
ExecutorGroup executor_group(GroupSource source, std::vector<GroupFolder> folders);

/// Whether both lists hold the same directories for the same controllers.
bool is_same_group(const std::vector<GroupFolder>& one, const std::vector<GroupFolder>& other);

/// Why there is nothing to be read of it any more: its directories were removed when its container
/// ended. None: it is there.
std::optional<std::string> is_gone(const ExecutorGroup& group);

}  // namespace sluice

#pragma once

#include <string>
#include <vector>

namespace sluice {

/// cgroup v2 controllers that a group enables for the groups below it.

/// The controllers that measure (memory, io) and that the group can enable.
std::vector<std::string> measuring_controllers(const std::string& folder);

/// Whether the group's cgroup.subtree_control enables all of `wanted`.
bool has_enabled_all(const std::string& folder, const std::vector<std::string>& wanted);

/// `sign`: '+' or '-'. Returns 0 or errno.
int switch_controllers(const std::string& folder, const std::vector<std::string>& names, char sign);

/// Whether the folder is the root of a hierarchy, which is exempt from the rule that only leaves
/// hold processes.
bool is_v2_root(const std::string& folder);

}  // namespace sluice

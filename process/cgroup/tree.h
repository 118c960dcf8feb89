#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sluice {

/// Operations on any cgroup, v1 or v2, by its folder. They ignore a group that is gone.

/// The processes of the group and of all groups below it. A process of another pid namespace is 0.
std::vector<pid_t> processes_in(const std::string& folder);

/// The direct children of the group, as absolute folders.
std::vector<std::string> groups_below(const std::string& folder);

/// `freeze_group` stops every process at one instant and `thaw_group` resumes them. `freeze_group`
/// returns false if the hierarchy has no freezer or the group is not frozen after 100 ms; it then
/// freezes later.
bool freeze_group(const std::string& folder);
void thaw_group(const std::string& folder);

/// Sends SIGKILL to every process; frozen processes die when they thaw.
void kill_group(const std::string& folder);

/// Removes the group and all groups below it; false while a process is left.
bool remove_group(const std::string& folder);

/// Whether the file of a group exists; also false if it cannot be looked up.
bool group_file_exists(const std::string& path);

/// Writes to a file of a group; returns 0 or errno.
int write_group_file(const std::string& path, const std::string& text);

/// The whole text of a small file; empty if it cannot be read.
std::string read_group_file(const std::string& path);

}  // namespace sluice

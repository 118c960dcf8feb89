#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sluice {

/// What can be done with any cgroup by its folder, v1 and v2. A group that is gone is passed over.

/// The processes of the group and of all below it. One of another pid namespace is 0.
std::vector<pid_t> processes_in(const std::string& folder);

/// The groups right below it, as absolute folders.
std::vector<std::string> groups_below(const std::string& folder);

/// Stops all of it at one instant, and lets it go on. False where the hierarchy has no freezer, or
/// it did not come to rest within 100 ms; it then does so later.
bool freeze_group(const std::string& folder);
void thaw_group(const std::string& folder);

/// Sends SIGKILL to all of it; what is frozen dies when it thaws.
void kill_group(const std::string& folder);

/// Removes the group and all below it; false while anything runs there.
bool remove_group_tree(const std::string& folder);

/// Writes into a file of a group; 0 or errno.
int write_group_file(const std::string& path, const std::string& text);

/// All of a small file; empty if it cannot be read.
std::string read_group_file(const std::string& path);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Whether `name` can be the name of a home of jobs (see CgroupRoot): "sluice.7", "sluice.7.2".
bool is_home_name(std::string_view name);

/// As far as permissions allow, disables the controllers that a home enabled for its `self` and
/// moves the processes in there back to the group above.
void move_out_of_home(const std::string& folder);

/// Kills everything in a home and removes it. Disables the controllers that it enabled in the group
/// above under v2, which would keep every process out of that group. `folder` is one of
/// `CgroupRoot::folders`. Returns true when the home is gone.
bool remove_home(const std::string& folder);

/// Homes without an owner among the groups down to `levels` below `top` (1: its direct children).
/// Skips homes of another user, which may be unreadable; homes with processes that are not visible
/// from here; and homes of a release that did not lock them, while a process in them descends from
/// the one in the home's name.
std::vector<std::string> find_left_behind(const std::string& top, int levels);

/// Removes those homes and kills everything in them.
struct CleanedUp {
  std::vector<std::string> removed;
  std::vector<std::string> stuck;  ///< Still there after two seconds.
};
CleanedUp remove_left_behind(const std::string& top, int levels);

}  // namespace sluice

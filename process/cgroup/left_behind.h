#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Whether a home of jobs (see GroupHome) may be called so: "sluice.7", "sluice.7.2".
bool is_home_name(std::string_view name);

/// Gives back the controllers that a home took for `self` below it, and lets what runs there go
/// back to the group above: as far as it may.
void move_out_of_home(const std::string& folder);

/// Ends all that runs in a home and removes it. Gives back what it took under v2, which would keep
/// every process out of the group above: controllers that are switched on there. `folder` is one of
/// `GroupHome::folders`. True when it is gone.
bool remove_home(const std::string& folder);

/// Homes that nobody owns any more, among the groups down to `levels` below `top` (1: those right
/// below it). Another user's, which may not be listed, are left out; so are homes in which
/// processes run that cannot be seen from here, and those of a release that did not lock its homes
/// while a process of theirs descends from the one they are named after.
std::vector<std::string> find_left_behind(const std::string& top, int levels);

/// Removes those, each with what runs in it.
struct CleanedUp {
  std::vector<std::string> removed;
  std::vector<std::string> stuck;  ///< Would not go, after two seconds.
};
CleanedUp remove_left_behind(const std::string& top, int levels);

}  // namespace sluice

#pragma once

#include <string>
#include <vector>

namespace sluice {

/// Controllers of v2 that a group gives to the groups below it.

/// Of the controllers that measure (memory, io), those that the group could give.
std::vector<std::string> wanted_in(const std::string& folder);

bool gives_all(const std::string& folder, const std::vector<std::string>& wanted);

/// `sign`: '+' or '-'. 0 or errno.
int switch_controllers(const std::string& folder, const std::vector<std::string>& names, char sign);

/// The root of a hierarchy is excused from the rule that only leaves hold processes.
bool is_v2_root(const std::string& folder);

}  // namespace sluice

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Whether a daemon may set this environment variable for a command: those that name the items
/// which the job holds, `SLUICE_RM_<KEY>_ITEMS` and `JQM_RM_<KEY>_ITEMS` with A to Z, 0 to 9 and
/// `_`. Any other could change which code the command executes (`LD_PRELOAD`, `PATH`). Pure.
bool may_be_set_by_daemon(std::string_view name);

/// The variables in a daemon's answer.
struct ItemVariables {
  std::map<std::string, std::string> taken;
  std::vector<std::string> ignored;  ///< Names that a daemon may not set; at most ten.

  void offer(std::string name, std::string value);
};

/// One line for people about names that were ignored; empty if there are none. A control
/// character of a name becomes `?`.
std::string about_ignored(const std::vector<std::string>& names);

}  // namespace sluice

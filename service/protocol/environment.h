#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"

namespace sluice {

/// Environment variables that tell a job's processes which items it holds:
/// `SLUICE_RM_<KEY>_ITEMS=a,b` for each manager of which it holds any, and
/// `JQM_RM_DISCRETE_<KEY>_ITEMS=a,b` for managers compatible with JQM. `<KEY>` is the manager's
/// name in upper case, with every character except A to Z and 0 to 9 replaced by `_`. Pure.
std::map<std::string, std::string> environment_of(
    const std::vector<HeldItems>& held,
    const std::function<bool(std::string_view manager)>& is_jqm_compatible);

}  // namespace sluice

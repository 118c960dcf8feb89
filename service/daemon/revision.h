#pragma once

#include <string_view>

namespace sluice {

/// Abbreviated commit of this build, with "-dirty" if the tree had changes; "unknown" in a tree
/// without git, unless -DSLUICE_REVISION gave it.
std::string_view revision();

}  // namespace sluice

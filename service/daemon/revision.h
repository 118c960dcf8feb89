#pragma once

#include <string_view>

namespace sluice {

/// The commit that this was built from, in short, with "-dirty" where the tree had changes;
/// "unknown" in a tree without git, unless -DSLUICE_REVISION said it.
std::string_view revision();

}  // namespace sluice

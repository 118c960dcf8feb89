#pragma once

#include <string>

namespace sluice {

/// Records the calls of several threads that submit `jobs` jobs to a governor, in this folder, for
/// `sluice replay`. Returns the exit status.
int record_load(const std::string& folder, int jobs);

}  // namespace sluice

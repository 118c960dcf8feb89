#pragma once

#include <string>
#include <vector>

#include "client/submission.h"
#include "costmodel/job_key.h"

namespace sluice {

/// What a process of a build asks the daemon for: a permit on the connection of the build, under
/// the key of its command. `id` and `parent`: see `Submission`. Pure.
Submission run_request(const std::vector<std::string>& command, const KeyPlace& place,
                       const std::string& id, const std::string& parent);

}  // namespace sluice

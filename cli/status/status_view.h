#pragma once

#include <string_view>
#include <vector>

#include "cli/status/host_view.h"

namespace sluice::cli {

// The view of a daemon, from its answers to GET /v1/status and GET /v1/jobs. Throw
// std::runtime_error if they are not what the API promises.

HostView view_of(std::string_view status_json, std::string_view jobs_json);

/// With the running jobs from one list, say, and those that wait from another.
HostView view_of(std::string_view status_json, const std::vector<std::string_view>& jobs_json);

}  // namespace sluice::cli

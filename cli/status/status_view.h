#pragma once

#include <string_view>
#include <vector>

#include "cli/status/host_view.h"
#include "sluice/status.h"

namespace sluice::cli {

/// The view of a governor in this process; the caller adds the jobs.
HostView view_of(const Status& status);

// The view of a daemon, from its answers to GET /v1/status and GET /v1/jobs. Both throw
// std::runtime_error if the answers do not match the API.

HostView view_of(std::string_view status_json, std::string_view jobs_json);

/// The same with jobs from several lists, such as running and pending ones.
HostView view_of(std::string_view status_json, const std::vector<std::string_view>& jobs_json);

}  // namespace sluice::cli

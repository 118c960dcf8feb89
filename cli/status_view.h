#pragma once

#include <string_view>

#include "cli/host_view.h"

namespace sluice::cli {

/// The view of a daemon, from its answers to GET /v1/status and GET /v1/jobs. Throws
/// std::runtime_error if they are not what the API promises.
HostView view_of(std::string_view status_json, std::string_view jobs_json);

}  // namespace sluice::cli

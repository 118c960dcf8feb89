#pragma once

#include <vector>

#include "config/config.h"
#include "service/doctor/enforce_check.h"

namespace sluice {

/// Whether a daemon can keep `memory.enforce` on this host: for jobs of its own, where it has work
/// sources, and else for those of clients.
EnforceVerdict enforce_verdict(const Config& config);

/// All of a configuration, valid by itself, for which `sluice serve` would not start on this host
/// as this process's user: names, files, folders and addresses that are not there, and sensors that
/// cannot be built. What another process may hold for the moment, a socket or a port, is not tried,
/// and nothing is written.
std::vector<ConfigError> host_errors(const Config& config);

}  // namespace sluice

#pragma once

#include <vector>

#include "config/config.h"
#include "service/doctor/enforce_check.h"

namespace sluice {

/// Whether `memory.enforce` works for this daemon on this host: for its own jobs if it has work
/// sources, otherwise for those of clients.
EnforceVerdict enforce_verdict(const Config& config);

/// Everything in a configuration, valid by itself, that would keep `sluice serve` from starting on
/// this host as this process's user: missing names, files, folders and addresses, and sensors that
/// cannot be built. Does not try what another process may hold for the moment, a socket or a port,
/// and writes nothing.
std::vector<ConfigError> host_errors(const Config& config);

}  // namespace sluice

#pragma once

#include <optional>
#include <string>

#include "config/config.h"

namespace sluice::cli {

/// A command cannot go on, and has said why: ends it with exit status 2.
struct Unusable {};

/// The configuration in a file; the defaults if `path` is empty. Prints all errors to standard
/// error and throws Unusable.
Config config_from(const std::string& path);

/// Why a command that runs jobs itself cannot do so with these options: `memory.enforce: high` when
/// a job at its limit would stall. nullopt if it can.
std::optional<std::string> high_without_swap(const Options& options);

}  // namespace sluice::cli

#pragma once

#include <optional>
#include <string>

#include "config/config.h"

namespace sluice::cli {

/// What a command cannot go on with, said already: ends it with exit status 2.
struct Unusable {};

/// The configuration in a file; the defaults for no file. Prints all that is wrong with it to
/// standard error and throws Unusable.
Config config_from(const std::string& path);

/// Why a command that runs jobs itself cannot do so with these options: `memory.enforce: high`
/// where a job at its limit would stand still. None: it can.
std::optional<std::string> high_without_swap(const Options& options);

}  // namespace sluice::cli

#pragma once

#include <string>

#include "config/config.h"

namespace sluice::cli {

/// What a command cannot go on with, said already: ends it with exit status 2.
struct Unusable {};

/// The configuration in a file; the defaults for no file. Prints all that is wrong with it to
/// standard error and throws Unusable.
Config config_from(const std::string& path);

}  // namespace sluice::cli

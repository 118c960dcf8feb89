#pragma once

#include <string>

#include "config/config.h"

namespace sluice {

/// What clients that recognise the programs of a build are told, as JSON. Pure.
std::string build_json(const BuildOptions& options);

}  // namespace sluice

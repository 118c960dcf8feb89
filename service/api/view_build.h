#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace sluice {

/// What clients that recognise the programs of a build are told, as JSON. `learned`: see
/// `History::heavy_programs`. Pure.
std::string build_json(const BuildOptions& options, const std::vector<std::string>& learned);

}  // namespace sluice

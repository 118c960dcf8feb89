#pragma once

#include <vector>

#include "config/config.h"

namespace sluice {

/// Contradictions among the given values, each at the position of one of them. Values that were not
/// given are not compared: their defaults yield.
std::vector<ConfigError> find_contradictions(const Config& config);

}  // namespace sluice

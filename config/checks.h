#pragma once

#include <vector>

#include "config/config.h"

namespace sluice {

/// Contradictions among the values that were given, each at the place of one of them. Values that
/// were not given are not compared: their defaults give way.
std::vector<ConfigError> find_contradictions(const Config& config);

}  // namespace sluice

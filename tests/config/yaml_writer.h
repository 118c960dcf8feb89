#pragma once

#include <string>
#include <vector>

#include "config/effective.h"

namespace sluice {

/// The values as a configuration file.
std::string write_yaml(const std::vector<EffectiveValue>& values);

/// The values that do not come from a default.
std::vector<EffectiveValue> only_given(std::vector<EffectiveValue> values);

}  // namespace sluice

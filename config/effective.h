#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace sluice {

/// The effective value of one option.
struct EffectiveValue {
  std::string path;    ///< "window.initial"
  std::string value;   ///< As YAML: "10/cpu", "30s", "null", "[/a, /b]".
  std::string origin;  ///< "default", "default for rfc", "sluice.yaml:3:5".

  bool operator==(const EffectiveValue&) const = default;
};

/// Every option in the order of the reference, including those of the user's own sensors. Writing
/// them all to a file gives an equivalent configuration.
std::vector<EffectiveValue> effective_values(const Config& config);

/// The effective values as an aligned table for people, one line each, without colours.
std::string describe(const Config& config);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace sluice {

/// Whether `sluice serve` reads the option at its start only: no reload changes it. Pure.
bool is_start_only(std::string_view path);

/// The paths of such options whose values differ. Pure.
std::vector<std::string> changed_start_only(const Config& before, const Config& now);

}  // namespace sluice

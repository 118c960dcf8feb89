#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"

namespace sluice::cli {

/// One column per value, from the lowest mark for 0 to the highest for `full` and above; a blank
/// for nullopt.
std::string sparkline(const std::vector<std::optional<double>>& values, double full,
                      Charset charset);

}  // namespace sluice::cli

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/replay/chart.h"

namespace sluice::cli {

/// The gnuplot program, data included, that draws the rows into `path`: window and usage above,
/// jobs and pressures below. The ending of `path`, .svg or .png, decides the format. Pure.
std::string plot_script(const std::vector<ChartRow>& rows, const std::vector<std::string>& sensors,
                        const std::string& title, const std::string& path);

/// Why a picture cannot have this name; none: it can.
std::optional<std::string> problem_of_picture(const std::string& path);

}  // namespace sluice::cli

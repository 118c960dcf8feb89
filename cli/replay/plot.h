#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/replay/chart.h"

namespace sluice::cli {

/// The gnuplot script, data included, that draws the rows into `path`: window and usage at the top,
/// what limited them in a strip below, a lane for each limit, then jobs and the levels that the
/// rows have. The extension of `path`, .svg or .png, selects the format. Pure.
std::string plot_script(const std::vector<ChartRow>& rows, const std::vector<std::string>& levels,
                        const std::string& title, const std::string& path);

/// Why a chart cannot have this file name; nullopt if it can.
std::optional<std::string> problem_of_picture(const std::string& path);

}  // namespace sluice::cli

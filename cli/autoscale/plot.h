#pragma once

#include <string>
#include <vector>

#include "cli/autoscale/stats.h"

namespace sluice::cli {

/// The gnuplot script, data included, that draws StarCluster's six charts into `folder`: queued,
/// running, num_hosts, avg_duration, avg_wait and avg_load, each with the extension `ending`, "png"
/// or "svg". `rows` are in time order, at least one. Pure.
std::string stats_plot(const std::vector<StatsRow>& rows, const std::string& folder,
                       const std::string& ending);

/// Drops every second row of the older half until at most `most` are left; keeps the newest.
void thin_out(std::vector<StatsRow>& rows, std::size_t most);

}  // namespace sluice::cli

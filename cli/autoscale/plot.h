#pragma once

#include <string>
#include <vector>

#include "cli/autoscale/stats.h"

namespace sluice::cli {

/// The gnuplot program, data included, that draws StarCluster's six pictures into `folder`:
/// queued, running, num_hosts, avg_duration, avg_wait and avg_load, each as `ending`, "png" or
/// "svg". `rows` are in the order of their times, at least one. Pure.
std::string stats_plot(const std::vector<StatsRow>& rows, const std::string& folder,
                       const std::string& ending);

/// Leaves out every second of the older half until there are at most `most`; the newest stays.
void thin_out(std::vector<StatsRow>& rows, std::size_t most);

}  // namespace sluice::cli

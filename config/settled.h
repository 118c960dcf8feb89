#pragma once

#include "config/config.h"
#include "config/schema.h"

namespace sluice {

/// A spec resolved to whole points, rounded down, at least 1 and at most `kMostPoints`: the same as
/// `PointsSpec::on`, which is in a library that this one may not link.
Points points_on(const PointsSpec& spec, double cpus);

/// "2 CPUs", "1 CPU", "0.5 CPUs"
std::string print_cpus(double cpus);

/// The bounds and sizes of the window with all defaults settled: a default never contradicts a
/// given value but yields to it, bounds first.
struct SettledWindow {
  PointsSpec minimum, maximum, initial, threshold;
};
SettledWindow settle_window(const WindowOptions& options, double cpus);

/// The effective default of `part` of the window, for `SchemaOption::settle`.
SettledDefault settled_window_default(const Config& config, PointsSpec SettledWindow::*part,
                                      const std::string& fallback);

/// The defaults of the `starting` sensor on this machine, which are Zuul's.
SettledDefault settled_starting_most(const Config& config);
SettledDefault settled_starting_floor(const Config& config);

}  // namespace sluice

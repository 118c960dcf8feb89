#pragma once

#include "config/config.h"
#include "config/schema.h"

namespace sluice {

/// Whole points of a spec, rounded down, at least 1 and at most `kMostPoints`: what
/// `PointsSpec::on` says, which lives in a room that this one may not link.
Points points_on(const PointsSpec& spec, double cpus);

/// "2 CPUs", "1 CPU", "0.5 CPUs"
std::string print_cpus(double cpus);

/// The bounds and sizes of the window with every default settled: a default never contradicts a
/// given value but gives way to it, bounds first.
struct SettledWindow {
  PointsSpec minimum, maximum, initial, threshold;
};
SettledWindow settle_window(const WindowOptions& options, double cpus);

/// The window's default at `part` as it is in force, for `SchemaOption::settle`.
SettledDefault settled_window_default(const Config& config, PointsSpec SettledWindow::*part,
                                      const std::string& fallback);

/// Zuul's defaults of the `starting` sensor on this machine.
SettledDefault settled_starting_most(const Config& config);
SettledDefault settled_starting_floor(const Config& config);

}  // namespace sluice

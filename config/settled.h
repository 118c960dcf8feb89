#pragma once

#include "config/config.h"
#include "config/schema.h"

namespace sluice {

/// The effective default of `part` of the window, for `SchemaOption::settle`.
SettledDefault settled_window_default(const Config& config, PointsSpec WindowSizes::*part,
                                      const std::string& fallback);

/// A default that depends on the number of CPUs, likewise.
SettledDefault settled_for_cpus(int value, const Config& config);

}  // namespace sluice

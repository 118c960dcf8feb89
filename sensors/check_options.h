#pragma once

#include "sluice/options.h"

namespace sluice {

/// Throws std::invalid_argument naming the first field that is out of range, a missing limit, or a
/// sensor name that is duplicate or invalid.
void check_sensor_options(const SensorOptions& options);

}  // namespace sluice

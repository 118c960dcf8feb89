#pragma once

#include "sluice/options.h"

namespace sluice {

/// Throws std::invalid_argument that names the first field that is out of range, a limit that is
/// missing, or a name that two sensors would have or that none may have.
void check_sensor_options(const SensorOptions& options);

}  // namespace sluice

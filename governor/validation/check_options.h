#pragma once

#include <vector>

#include "sluice/options.h"
#include "sluice/sensor.h"

namespace sluice {

/// Throws std::invalid_argument, naming the field, if an option is out of range, two sensors share
/// a name, or a part is missing.
void check_options(const GovernorOptions& options, const std::vector<Sensor>& sensors,
                   const CostModel& cost_model);

}  // namespace sluice

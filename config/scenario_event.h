#pragma once

#include <vector>

#include "config/document.h"
#include "config/fields.h"
#include "config/scenario.h"

namespace sluice {

/// Reads an item of `events`, except the configuration of a reload. Adds all its errors to
/// `errors`.
ScenarioEvent read_scenario_event(const YamlNode& node, std::vector<FieldError>& errors);

/// Reads an item of `sensors` in the same way.
SensorPoint read_sensor_point(const YamlNode& node, std::vector<FieldError>& errors);

}  // namespace sluice

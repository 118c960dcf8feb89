#pragma once

#include <string>
#include <vector>

#include "config/schema.h"
#include "config/stored_option.h"

namespace sluice {

/// Defaults of the common options that differ between sensors.
struct CommonSensorDefaults {
  std::string presence = "automatic";
  std::string acts = "gate";
  std::string max_age = "10s";
};

/// The presence, resume, on_error, max_age and acts options of the sensor at path `sensor`.
std::vector<SchemaOption> common_sensor_options(const std::string& sensor,
                                                const CommonSensorDefaults& defaults,
                                                const ConfigPlace<SensorSettings>& settings);

/// The options of the sensors that Sluice has.
std::vector<SchemaSection> sensor_sections();

}  // namespace sluice

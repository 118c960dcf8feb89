#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of a user's own sensors, which are in files or commands.
std::vector<SchemaSection> own_sensor_sections();

}  // namespace sluice

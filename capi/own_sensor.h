#pragma once

#include <sluice.h>

#include <string>

#include "sluice/sensor.h"

namespace sluice::capi {

/// A sensor that a C function reads, on a thread of its own that starts here. Throws
/// std::invalid_argument that begins with `field` and names the struct's field, and
/// std::system_error if there is no thread.
Sensor own_sensor(const sluice_sensor* sensor, const std::string& field);

}  // namespace sluice::capi

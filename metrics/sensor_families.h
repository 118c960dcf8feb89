#pragma once

#include "metrics/families.h"
#include "sluice/status.h"

namespace sluice {

/// The families of all sensors. `now_unix` is the Unix time of `status.now`.
void append_sensors(Families& families, const Status& status, double now_unix);

}  // namespace sluice

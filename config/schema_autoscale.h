#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of `sluice autoscale`.
SchemaSection autoscale_section();

}  // namespace sluice

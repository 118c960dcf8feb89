#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of the window.
SchemaSection window_section();

}  // namespace sluice

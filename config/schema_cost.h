#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of costs and of the memory kept for jobs.
std::vector<SchemaSection> cost_sections();

}  // namespace sluice

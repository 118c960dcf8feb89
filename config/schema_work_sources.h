#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of the Gearman servers that work comes from.
std::vector<SchemaSection> work_source_sections();

/// The list that these servers form.
SchemaCollection work_source_collection();

}  // namespace sluice

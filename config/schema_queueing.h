#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of queues, keys, resources and rules.
std::vector<SchemaSection> queueing_sections();

/// The collections that these are members of.
std::vector<SchemaCollection> queueing_collections();

}  // namespace sluice

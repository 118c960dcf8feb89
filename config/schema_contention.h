#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of queueing that weigh jobs against each other.
std::vector<SchemaSection> contention_sections();

}  // namespace sluice

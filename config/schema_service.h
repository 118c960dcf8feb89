#pragma once

#include "config/schema.h"

namespace sluice {

/// The options of the daemon.
std::vector<SchemaSection> service_sections();

/// Keys that belong elsewhere, each with a message that says where.
std::vector<RefusedKey> refused_keys();

}  // namespace sluice

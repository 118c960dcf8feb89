#pragma once

#include <vector>

#include "config/schema.h"

namespace sluice {

// The parts of `config_schema`, each in the source named like it: `window_section` is in
// schema_window.cpp.

/// The options of the window.
SchemaSection window_section();

/// The options of a user's own sensors, which are in files or commands.
std::vector<SchemaSection> own_sensor_sections();

/// The options of queueing that weigh jobs against each other.
std::vector<SchemaSection> contention_sections();

/// The options of queues, keys, resources and rules.
std::vector<SchemaSection> queueing_sections();

/// The collections that these are members of.
std::vector<SchemaCollection> queueing_collections();

/// The options of costs and of the memory kept for jobs.
std::vector<SchemaSection> cost_sections();

/// The options of the daemon.
std::vector<SchemaSection> service_sections();

/// The options of programs that `sluice build` governs.
SchemaSection build_section();

/// Keys that belong elsewhere, each with a message that says where.
std::vector<RefusedKey> refused_keys();

/// The options of the Gearman servers that work comes from.
std::vector<SchemaSection> work_source_sections();

/// The list that these servers form.
SchemaCollection work_source_collection();

/// The options of `sluice autoscale`.
SchemaSection autoscale_section();

}  // namespace sluice

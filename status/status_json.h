#pragma once

#include "base/json_writer.h"
#include "sluice/refusal.h"
#include "sluice/status.h"
#include "status/wall_time.h"

namespace sluice {

// The names and their meaning are those of GET /v1/status in docs/api.md.

/// Writes all but the counters, as members of the object that is open.
void write_status(JsonWriter& json, const Status& status, const Instant& instant,
                  const JobNames& names);

/// Writes the counters, as members of the object that is open.
void write_counters(JsonWriter& json, const Counters& counters);

}  // namespace sluice

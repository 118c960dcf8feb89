#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "sluice/job.h"
#include "sluice/refusal.h"

namespace sluice {

/// The job's name, or its number if `names` is empty.
std::string name_of(JobId job, const JobNames& names);

/// The members `needs`, `free` and `total`: in cores, units or bytes, and null if nothing is
/// counted.
void write_amounts(JsonWriter& json, const Refusal& refusal);

void write_refusal(JsonWriter& json, const Refusal& refusal, const JobNames& names);
/// The same with a sentence that says more.
void write_refusal(JsonWriter& json, const Refusal& refusal, const JobNames& names,
                   std::string_view sentence);

}  // namespace sluice

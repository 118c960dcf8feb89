#pragma once

#include <string>

#include "base/json_writer.h"
#include "metrics/service_facts.h"
#include "status/refusal_json.h"

namespace sluice {

/// What the other configuration would do, for people: "window 40 points (knee), would start 3
/// waiting jobs now, the first build-4711; would have let 2 of 40 begun jobs wait".
std::string to_sentence(const ShadowFacts& shadow, const JobNames& names);

/// The member `shadow` of a status.
void write_shadow(JsonWriter& json, const ShadowFacts& shadow, const JobNames& names);

}  // namespace sluice

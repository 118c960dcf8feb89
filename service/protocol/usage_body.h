#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json_writer.h"
#include "service/protocol/api_error.h"
#include "sluice/prediction.h"
#include "sluice/usage.h"

namespace sluice {

/// Parses `{"usage": {…}}`, the body of a heartbeat and of a finish; nullopt if it reports no
/// usage. Seconds and bytes; `peak_memory` is at least `memory`. Pure; never throws for any bytes.
std::variant<std::optional<JobUsage>, ApiError> parse_usage_body(std::string_view text);

/// The body that reports `usage`.
std::string usage_body(const JobUsage& usage);

void write_usage(JsonWriter& json, const JobUsage& usage);

/// Writes the rung, the memory in bytes and the duration in seconds.
void write_prediction(JsonWriter& json, const Prediction& prediction);

}  // namespace sluice

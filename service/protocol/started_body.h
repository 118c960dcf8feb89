#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/protocol/api_error.h"

namespace sluice {

/// Parses `{"pid": 4711}`, the body of `started`: the leading process of the job; nullopt if the
/// body names none. Pure; never throws for any bytes.
std::variant<std::optional<pid_t>, ApiError> parse_started_body(std::string_view text);

/// The body that names `process`.
std::string started_body(pid_t process);

}  // namespace sluice

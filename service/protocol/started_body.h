#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/protocol/api_error.h"

namespace sluice {

/// Reads `{"pid": 4711}`, the body of `started`: the process that leads the job; none where it is
/// not named. Pure; never throws for any bytes.
std::variant<std::optional<pid_t>, ApiError> parse_started_body(std::string_view text);

/// The body that names it.
std::string started_body(pid_t process);

}  // namespace sluice

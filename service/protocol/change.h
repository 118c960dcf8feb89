#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "service/protocol/api_error.h"
#include "sluice/job.h"

namespace sluice {

/// The body of a change: absent fields stay as they are.
struct Change {
  JobChange change;       ///< Its position's `of` is not resolved yet.
  std::string of;         ///< The job of a position before or after it, by id or number.
  std::size_t bytes = 0;  ///< Of a body that declares locks; 0 if it only sets values.
};

/// Parses the body of a change: a JSON object. Pure; never throws for any bytes.
std::variant<Change, ApiError> parse_change(std::string_view text);

}  // namespace sluice

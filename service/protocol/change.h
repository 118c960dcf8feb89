#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/protocol/api_error.h"
#include "service/protocol/declared_size.h"
#include "sluice/job.h"

namespace sluice {

/// The body of a change: absent fields stay as they are.
struct Change {
  JobChange change;       ///< Its position's `of` is not resolved yet.
  std::string of;         ///< The job of a position before or after it, by id or number.
  DeclaredSize declared;  ///< Of a body with locks; nothing if it only sets values.
  /// The user who asked for it, see `JobOwner`: not of the body.
  std::optional<uid_t> by = std::nullopt;
};

/// Parses the body of a change: a JSON object. Pure; never throws for any bytes.
std::variant<Change, ApiError> parse_change(std::string_view text);

}  // namespace sluice

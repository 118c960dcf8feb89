#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace sluice {

/// Something wrong with a document, and where.
struct DocumentError {
  ConfigPosition at;
  std::string message;
};

/// The first byte that a configuration must not hold: not UTF-8 (RFC 3629), a control character
/// other than tab and line end, or a carriage return without a line feed.
std::optional<DocumentError> find_bad_text(std::string_view text);

}  // namespace sluice

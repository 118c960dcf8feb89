#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace sluice {

/// An error in a document, and its position.
struct DocumentError {
  ConfigPosition at;
  std::string message;
};

/// The first byte that a configuration must not contain: invalid UTF-8 (RFC 3629), a control
/// character other than tab and line end, or a carriage return without a line feed.
std::optional<DocumentError> find_bad_text(std::string_view text);

}  // namespace sluice

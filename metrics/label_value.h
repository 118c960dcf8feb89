#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// `raw` as a label value that every Prometheus parser accepts: bytes that are not well-formed
/// UTF-8, and control characters other than newline, become "\xHH". Different values stay
/// different. `Families::text` escapes quotes, backslashes and newlines.
std::string label_value(std::string_view raw);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// `raw` as a label value that every Prometheus parser takes: bytes that are not well-formed
/// UTF-8, and control characters other than a newline, become "\xHH". Two different values stay
/// different. Quotes, backslashes and newlines are left to the serializer.
std::string label_value(std::string_view raw);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A text as a caller gave it, fit for a message: in quotes, cut where it is long, on one line.
std::string in_quotes(std::string_view text);

/// "there are a, b", at most ten of them, or "there is none".
std::string there_are(const std::vector<std::string>& names);

}  // namespace sluice

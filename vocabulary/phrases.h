#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/refusal.h"

namespace sluice {

/// "1 point", "15 points".
std::string in_points(Points points);

/// Tenths as a number with one decimal: "1.5".
std::string in_tenths(std::int64_t tenths);

/// "job 7", or by its name if `names` tells it.
std::string job_text(JobId id, const JobNames& names);

/// The words between blanks and tabs.
std::vector<std::string_view> words_in(std::string_view text);

/// The error in the braces of a text with parameters, "a-{instance}"; empty if there is none.
std::string problem_of_braces(std::string_view text);

/// The text with each `{param}` replaced by `value_of(param)`; nullopt if that returns none.
template <typename ValueOf>
std::optional<std::string> fill_braces(std::string_view text, ValueOf value_of) {
  std::string filled;
  while (true) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == text.npos) return filled;
    const std::size_t close = text.find('}', open);
    if (close == text.npos) return std::nullopt;
    const std::optional<std::string> value = value_of(text.substr(open + 1, close - open - 1));
    if (!value) return std::nullopt;
    filled += *value;
    text.remove_prefix(close + 1);
  }
}

/// The keys of a map from names, in its order.
template <typename Map>
std::vector<std::string> names_in(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace sluice

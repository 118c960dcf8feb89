#include "vocabulary/phrases.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace sluice {

std::string in_points(Points points) { return count_text(points.value, "point"); }

std::string in_tenths(std::int64_t tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string job_text(JobId id, const JobNames& names) {
  return "job " + (names ? names(id) : std::to_string(id.value));
}

std::vector<std::string_view> words_in(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find_first_of(kBlanks)));
    text.remove_prefix(words.back().size());
  }
}

std::string problem_of_braces(std::string_view text) {
  while (true) {
    const std::size_t open = text.find_first_of("{}");
    if (open == text.npos) return "";
    if (text[open] == '}') return "has a } without its {";
    const std::size_t end = text.find_first_of("{}", open + 1);
    if (end == text.npos || text[end] == '{') return "has a { without its }";
    if (end == open + 1) return "has {} without a parameter name";
    text.remove_prefix(end + 1);
  }
}

}  // namespace sluice

#include "vocabulary/phrases.h"

#include <algorithm>
#include <cstddef>

#include "base/utf8.h"

namespace sluice {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string quoted(utf8_cut(text, kMost));
  for (char& byte : quoted) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = '?';
  }
  return "`" + quoted + (quoted.size() < text.size() ? "...`" : "`");
}

std::string in_points(Points points) {
  return std::to_string(points.value) + (points.value == 1 ? " point" : " points");
}

std::string in_tenths(std::int64_t tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string job_text(JobId id, const JobNames& names) {
  return "job " + (names ? names(id) : std::to_string(id.value));
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
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

std::string there_are(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  if (names.empty()) return "there is none";
  return (names.size() == 1 ? "there is " : "there are ") +
         listed(std::span(names).first(std::min(names.size(), kMost))) +
         (names.size() > kMost ? ", ..." : "");
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

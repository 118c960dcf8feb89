#include "base/parse.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr std::string_view kBlanks = " \t";

}  // namespace

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

std::string_view next_word(std::string_view& rest) {
  const auto skip_blanks = [&rest] {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  };
  skip_blanks();
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  skip_blanks();
  return word;
}

bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const std::string_view first = list.substr(0, list.find(','));
    if (first == item) return true;
    list.remove_prefix(std::min(list.size(), first.size() + 1));
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view last_line_of(std::string_view text) {
  text = trimmed(text);
  return trimmed(text.substr(text.rfind('\n') + 1));
}

std::optional<std::uint64_t> parse_u64(std::string_view word) {
  return parse_as<std::uint64_t>(word);
}

std::optional<double> parse_number(std::string_view word) {
  const auto number = parse_as<double>(word);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!line.starts_with(key)) continue;
    if (next_word(line) == key) return parse_u64(next_word(line));
  }
  return std::nullopt;
}

}  // namespace sluice

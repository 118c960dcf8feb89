#include "vocabulary/phrases.h"

#include <cstddef>

namespace sluice {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string quoted(text.substr(0, kMost));
  for (char& byte : quoted) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = '?';
  }
  if (text.size() <= kMost) return "`" + quoted + "`";
  // Do not leave part of a multi-byte character before the dots.
  while (!quoted.empty() && static_cast<unsigned char>(quoted.back()) >= 0x80) quoted.pop_back();
  return "`" + quoted + "...`";
}

std::string there_are(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  if (names.empty()) return "there is none";
  std::string text = names.size() == 1 ? "there is " : "there are ";
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kMost ? text + ", ..." : text;
}

}  // namespace sluice

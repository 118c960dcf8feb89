#include "vocabulary/phrases.h"

#include <algorithm>
#include <cstddef>

namespace sluice {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::size_t size = std::min(text.size(), kMost);
  // Cut before a multi-byte character, not within it.
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) --size;
  std::string quoted(text.substr(0, size));
  for (char& byte : quoted) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = '?';
  }
  return "`" + quoted + (size < text.size() ? "...`" : "`");
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

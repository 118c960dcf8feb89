#include "base/utf8.h"

#include <algorithm>

namespace sluice {

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  const std::string_view rest = text.substr(1, length - 1);
  if (!std::all_of(rest.begin(), rest.end(), continues_utf8)) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) > 0x9f;
  const bool beyond = first == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (const std::size_t length = utf8_length(text)) text.remove_prefix(length);
  return text.empty();
}

// Source: Unicode's property Bidi_Control, and its line and paragraph separators.
bool is_control_sequence(std::string_view sequence) {
  if (sequence.size() == 2) return sequence < "\xc2\xa0" || sequence == "\xd8\x9c";
  if (sequence.size() != 3) return false;
  const auto within = [sequence](std::string_view first, std::string_view last) {
    return sequence >= first && sequence <= last;
  };
  return within("\u200e", "\u200f") || within("\u2028", "\u202e") || within("\u2066", "\u2069");
}

std::string_view utf8_cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && continues_utf8(text[most])) --most;
  return text.substr(0, most);
}

}  // namespace sluice

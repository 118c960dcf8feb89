#include "config/text_check.h"

#include <algorithm>
#include <cstdint>

namespace sluice {
namespace {

unsigned char byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

/// The length of the UTF-8 sequence that starts at `place`; 0 if it is invalid.
std::size_t sequence_length(std::string_view text, std::size_t place) {
  const unsigned char first = byte_at(text, place);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || place + length > text.size()) return 0;
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t next = 1; next < length; ++next) {
    const unsigned char byte = byte_at(text, place + next);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? 0 : length;
}

std::string hex(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 0xF];
}

std::optional<std::string> judge_byte(std::string_view text, std::size_t place) {
  const unsigned char byte = byte_at(text, place);
  if (sequence_length(text, place) == 0) return "byte " + hex(byte) + " is not UTF-8";
  if (byte == '\r') {
    const bool line_end = place + 1 < text.size() && text[place + 1] == '\n';
    if (!line_end) return "a carriage return without a line feed ends no line";
    return std::nullopt;
  }
  const bool control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
  if (control) return "control character " + hex(byte) + " is not allowed";
  return std::nullopt;
}

}  // namespace

std::optional<DocumentError> find_bad_text(std::string_view text) {
  ConfigPosition at{1, 1};
  for (std::size_t place = 0; place < text.size();) {
    if (auto wrong = judge_byte(text, place)) return DocumentError{at, *wrong};
    const std::size_t length = sequence_length(text, place);
    at.column += static_cast<int>(length);
    if (text[place] == '\n') at = {at.line + 1, 1};
    place += length;
  }
  return std::nullopt;
}

}  // namespace sluice

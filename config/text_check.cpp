#include "config/text_check.h"

#include "base/utf8.h"

namespace sluice {
namespace {

unsigned char byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

std::string hex(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 0xF];
}

std::optional<std::string> judge_byte(std::string_view text, std::size_t place) {
  const unsigned char byte = byte_at(text, place);
  if (utf8_length(text.substr(place)) == 0) return "byte " + hex(byte) + " is not UTF-8";
  if (byte == '\r') {
    const bool line_end = place + 1 < text.size() && text[place + 1] == '\n';
    if (!line_end) return "a carriage return needs a line feed after it";
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
    const std::size_t length = utf8_length(text.substr(place));
    at.column += static_cast<int>(length);
    if (text[place] == '\n') at = {at.line + 1, 1};
    place += length;
  }
  return std::nullopt;
}

}  // namespace sluice

#include "metrics/label_value.h"

#include <cstddef>

namespace sluice {
namespace {

bool within(std::string_view text, std::size_t at, unsigned low, unsigned high) {
  if (at >= text.size()) return false;
  const unsigned byte = static_cast<unsigned char>(text[at]);
  return low <= byte && byte <= high;
}

bool continues(std::string_view text, std::size_t at) { return within(text, at, 0x80, 0xBF); }

// Length of the well-formed sequence at the start of `text`, 0 if there is none. The bounds of the
// second byte exclude overlong forms, surrogates and code points above U+10FFFF.
// Source: The Unicode Standard, table 3-7.
std::size_t well_formed_length(std::string_view text) {
  if (within(text, 0, 0x00, 0x7F)) return 1;
  if (within(text, 0, 0xC2, 0xDF)) return continues(text, 1) ? 2 : 0;
  const unsigned first = static_cast<unsigned char>(text[0]);
  if (within(text, 0, 0xE0, 0xEF)) {
    const bool second = within(text, 1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && continues(text, 2) ? 3 : 0;
  }
  if (within(text, 0, 0xF0, 0xF4)) {
    const bool second = within(text, 1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && continues(text, 2) && continues(text, 3) ? 4 : 0;
  }
  return 0;
}

// A zero byte ends the page for Prometheus' lexer; no other control character is useful.
bool is_unwanted(char c) {
  const unsigned byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n') || byte == 0x7F;
}

void append_hex(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const unsigned byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

}  // namespace

std::string label_value(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t length = is_unwanted(raw[0]) ? 0 : well_formed_length(raw);
    if (length == 0) {
      append_hex(out, raw[0]);
      raw.remove_prefix(1);
      continue;
    }
    out += raw.substr(0, length);
    raw.remove_prefix(length);
  }
  return out;
}

}  // namespace sluice

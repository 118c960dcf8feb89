#include "metrics/label_value.h"

#include <cstddef>

#include "base/utf8.h"

namespace sluice {
namespace {

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
    const std::size_t length = is_unwanted(raw[0]) ? 0 : utf8_length(raw);
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

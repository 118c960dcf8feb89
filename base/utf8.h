#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

/// Length in bytes, 1 to 4, of the well-formed UTF-8 sequence at the front of the text (RFC 3629);
/// 0 if there is none. Pure.
std::size_t utf8_length(std::string_view text);

/// Whether the byte continues a UTF-8 sequence that began before it. Pure.
constexpr bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Whether all of the text is well-formed UTF-8. Pure.
bool is_utf8(std::string_view text);

/// Whether a well-formed sequence of several bytes is a control character: of C1, which terminals
/// obey like escape sequences, or one that changes text direction or ends a line. Pure.
bool is_control_sequence(std::string_view sequence);

/// The text cut to at most `most` bytes, never within a UTF-8 sequence. Pure.
std::string_view utf8_cut(std::string_view text, std::size_t most);

}  // namespace sluice

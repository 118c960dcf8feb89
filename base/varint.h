#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Numbers as seven bits per byte, the lowest first; signed ones in zigzag, so that small ones are
// short whatever their sign.

constexpr std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ (number < 0 ? ~std::uint64_t{0} : 0);
}

constexpr std::int64_t from_zigzag(std::uint64_t bits) {
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

inline void append_varint(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>((number & 0x7f) | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

inline void append_signed_varint(std::string& out, std::int64_t number) {
  append_varint(out, zigzag(number));
}

/// Removes a number from the front of `rest`; nullopt if there is none.
inline std::optional<std::uint64_t> cut_varint(std::string_view& rest) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

inline std::optional<std::int64_t> cut_signed_varint(std::string_view& rest) {
  const auto bits = cut_varint(rest);
  return bits ? std::optional(from_zigzag(*bits)) : std::nullopt;
}

}  // namespace sluice

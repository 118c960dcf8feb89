#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace sluice {

/// Removes and returns the first line of `rest`, without its end.
std::string_view next_line(std::string_view& rest);

/// Removes and returns the first word of `rest`, with the blanks and tabs around it; empty at the
/// end.
std::string_view next_word(std::string_view& rest);

/// Whether a list such as "rw,cpu,cpuacct" has this item.
bool has_item(std::string_view list, std::string_view item);

/// The text without blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// The last line that is not blank, trimmed; empty if there is none. Commands name their problem in
/// it.
std::string_view last_line_of(std::string_view text);

/// The text as a Number, which sets the range: a decimal integer, or a floating-point number, which
/// may be "inf" or "nan". Only a signed type takes a "-", none takes a "+" or blanks. nullopt
/// unless all of the text is the number.
template <class Number>
std::optional<Number> parse_as(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// A whole number below 2^64 of digits only; nullopt for anything else, including signs.
std::optional<std::uint64_t> parse_u64(std::string_view word);

/// A finite number; nullopt for anything else, including "inf" and "nan".
std::optional<double> parse_number(std::string_view word);

/// The number after `key` in lines of "key number"; nullopt if it is missing or not a number.
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key);

}  // namespace sluice

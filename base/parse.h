#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

/// Takes the first line, without its end, off `rest`.
std::string_view next_line(std::string_view& rest);

/// Takes the first word off `rest`, with the blanks and tabs around it; empty at the end.
std::string_view next_word(std::string_view& rest);

/// Without blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// A whole number of digits only, below 2^64; none for anything else, signs included.
std::optional<std::uint64_t> parse_u64(std::string_view word);

/// A finite number; none for anything else, "inf" and "nan" included.
std::optional<double> parse_number(std::string_view word);

/// The number behind `key` in lines of "key number"; none if it is not there or no number.
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key);

}  // namespace sluice

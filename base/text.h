#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// A number with a fixed count of decimals, the same in every locale.
std::string number_text(double number, int decimals);

/// A number in its shortest form: "40", "0.25".
std::string number_text(double number);

/// Bytes with their binary unit and one decimal, or as many as are asked for: "1.5 GiB", "512 B".
std::string bytes_text(double bytes, int decimals = 1);
std::string bytes_text(Bytes bytes);

/// How a duration for people is rounded: to tenths of a second below a minute; to whole seconds; up
/// to these, or to minutes: no time that is left is shown as shorter; to milliseconds below 1 s.
enum class Precision { tenths, seconds, seconds_up, milliseconds };

/// "0.4 s" (or "400 ms"), "12.3 s" (or "12 s"), "4 min 05 s", "2 h 03 min"; 0 if it is negative.
/// For measured times: a value of the configuration is spelled by print_duration().
std::string duration_text(double seconds, Precision precision = Precision::tenths);
std::string duration_text(Duration duration, Precision precision = Precision::tenths);

/// A ratio as a percentage with one decimal: "12.5%".
std::string percent_text(double ratio);

/// "1 task", "2 tasks".
std::string count_text(std::uint64_t count, std::string_view noun);

/// "1 CPU", "0.5 CPUs", with at most two decimals.
std::string cpus_text(double cpus);

/// The text with each `from`, which is not empty, replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// Two hexadecimal digits for each byte, in lower case.
std::string hex_digits(std::span<const unsigned char> bytes);

/// The value of an environment variable; empty if it is not set.
std::string environment_text(const char* variable);

/// Untrusted text made safe for one line of a log, a terminal or JSON: each byte that is not UTF-8
/// or belongs to a control character (including those that change text direction or end a line)
/// becomes '?', and text beyond `most` bytes is cut.
std::string printable(std::string_view text, std::size_t most = 4096);

/// As `printable`, uncut, but each byte that must not be shown is written as in $'…' of a shell:
/// "a\xffb". A backslash is doubled.
std::string escaped(std::string_view text);

}  // namespace sluice

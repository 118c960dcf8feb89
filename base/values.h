#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/options.h"
#include "sluice/units.h"

namespace sluice {

/// Most units that a resource manager has, or that a job may ask for.
inline constexpr std::int64_t kMostUnits = 1'000'000'000'000;

/// Why a text is not a valid value: what it must be ("must be a duration such as 30s"), and a hint
/// for this text ("did you mean `5%`?"), empty if there is none. The caller adds the text itself
/// and its location.
struct ValueError {
  std::string expected;
  std::string hint;

  bool operator==(const ValueError&) const = default;
};

template <typename T>
using ParsedValue = std::variant<T, ValueError>;

// All parsers are pure, take the whole text without surrounding space, and are independent of the
// locale.

/// "30s", "1.5h": a decimal number with ns, us, ms, s, min (or m), h or d; rounded to whole ns.
/// Negative durations parse.
ParsedValue<Duration> parse_duration(std::string_view text);

/// A duration of at least 0 that needs no rounding: seconds have at most nine decimals.
ParsedValue<Duration> parse_instant(std::string_view text);

/// "1.5GiB", "10MB", "4096B": powers of 1024 (KiB, MiB, GiB, TiB) and of 1000 (kB or KB, MB, GB,
/// TB); rounded to whole bytes.
ParsedValue<Bytes> parse_size(std::string_view text);

/// "5%" or "0.05": finite, of any size and sign.
ParsedValue<double> parse_ratio(std::string_view text);

/// "2.5": finite.
ParsedValue<double> parse_decimal(std::string_view text);

/// "1", "0.3": at least 0, with at most one decimal place; in tenths, exactly.
ParsedValue<std::int64_t> parse_tenths(std::string_view text);

/// "100000"
ParsedValue<std::int64_t> parse_whole(std::string_view text);

/// "40" or "10/cpu": at least 1 point per machine, or above 0 per CPU, and at most `kMostPoints`;
/// per machine in whole points.
ParsedValue<PointsSpec> parse_points(std::string_view text);

/// "on", "true", "off", "false", in upper or lower case.
ParsedValue<Presence> parse_switch(std::string_view text);

/// The index of the word in the list.
ParsedValue<std::size_t> parse_word(std::string_view text, const std::vector<std::string>& words);

/// "HOST:PORT" with a name, an IPv4 address or "[IPv6]" and a port from `least_port` to 65535;
/// returned unchanged.
ParsedValue<std::string> parse_address(std::string_view text, int least_port);

/// An absolute path of at most `most` bytes without control characters.
ParsedValue<std::string> parse_path(std::string_view text, std::size_t most);

/// Any text without control characters.
ParsedValue<std::string> parse_text(std::string_view text);

// The inverse: the shortest text that parses to the same value.

std::string print_duration(Duration duration);  ///< In the largest unit without a fraction.
std::string print_size(Bytes size);             ///< "512MiB", in the same way.
std::string print_decimal(double number);
std::string print_ratio(double ratio);  ///< As a percentage, unless that would change the value.
std::string print_points(const PointsSpec& points);
std::string print_tenths(std::int64_t tenths);

/// A string as YAML, quoted if it could be read as something else.
std::string print_text(std::string_view text);

/// A name as one component of a path, quoted if it could be read as several: `build`,
/// `"build.x86"`.
std::string print_path_name(std::string_view name);

/// "[a, b]"
std::string print_list(const std::vector<std::string>& texts);

}  // namespace sluice

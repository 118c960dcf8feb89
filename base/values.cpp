#include "base/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <span>

#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"

namespace sluice {
namespace {

struct NamedUnit {
  std::string_view name;
  std::int64_t factor;
};

/// In order of size; of equal ones the name that is printed comes last.
constexpr std::array kTimeUnits{NamedUnit{"ns", 1},
                                NamedUnit{"us", 1'000},
                                NamedUnit{"ms", 1'000'000},
                                NamedUnit{"s", 1'000'000'000},
                                NamedUnit{"m", 60'000'000'000},
                                NamedUnit{"min", 60'000'000'000},
                                NamedUnit{"h", 3'600'000'000'000},
                                NamedUnit{"d", 86'400'000'000'000}};

constexpr std::array kSizeUnits{NamedUnit{"B", 1},
                                NamedUnit{"KiB", std::int64_t{1} << 10},
                                NamedUnit{"MiB", std::int64_t{1} << 20},
                                NamedUnit{"GiB", std::int64_t{1} << 30},
                                NamedUnit{"TiB", std::int64_t{1} << 40},
                                NamedUnit{"kB", 1'000},
                                NamedUnit{"KB", 1'000},
                                NamedUnit{"MB", 1'000'000},
                                NamedUnit{"GB", 1'000'000'000},
                                NamedUnit{"TB", 1'000'000'000'000}};

/// The number at the front of `text`, in plain decimal notation, and the text after it.
struct Split {
  double number = 0;
  std::string_view digits;
  std::string_view rest;
};

std::optional<Split> split_number(std::string_view text) {
  Split split;
  const char* end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, split.number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(split.number)) return std::nullopt;
  split.digits = text.substr(0, static_cast<std::size_t>(stop - text.data()));
  split.rest = text.substr(split.digits.size());
  return split;
}

/// number x factor in whole units, and whether it was rounded.
struct Scaled {
  std::int64_t units = 0;
  bool rounded = false;
};

/// In decimal arithmetic, which is exact whenever the digits and the product fit 64 bits.
std::optional<Scaled> scale_exactly(std::string_view digits, std::int64_t factor) {
  std::string whole(digits);
  std::int64_t divisor = 1;
  if (const std::size_t point = whole.find('.'); point != whole.npos) {
    whole.erase(point, 1);
    for (std::size_t places = whole.size() - point; places > 0; --places) {
      if (factor % 10 == 0) {
        factor /= 10;
      } else if (__builtin_mul_overflow(divisor, 10, &divisor)) {
        return std::nullopt;
      }
    }
  }
  const auto number = parse_as<std::int64_t>(whole);
  std::int64_t product = 0;
  if (!number || __builtin_mul_overflow(*number, factor, &product)) return std::nullopt;
  const std::int64_t rest = product % divisor, units = product / divisor;
  if (rest == 0) return Scaled{units, false};
  const bool half = std::abs(rest) >= divisor - std::abs(rest);
  return Scaled{units + (half ? (product < 0 ? -1 : 1) : 0), true};
}

/// Exact for whole numbers and short fractions, floating point for longer fractions; nullopt if the
/// result exceeds 64 bits.
std::optional<Scaled> scale(const Split& split, std::int64_t factor) {
  if (const auto exact = scale_exactly(split.digits, factor)) return exact;
  constexpr double kTooMuch = 9.2e18;
  const bool whole = split.digits.find('.') == split.digits.npos;
  const double product = std::round(split.number * static_cast<double>(factor));
  if (whole || std::abs(product) > kTooMuch) return std::nullopt;
  return Scaled{static_cast<std::int64_t>(product), true};
}

/// What a number with a unit must be, by the names of the units, and within which bounds.
struct Expected {
  std::string what, units, bounds;
};

ParsedValue<Scaled> parse_with_unit(std::string_view text, std::span<const NamedUnit> units,
                                    const Expected& expected) {
  const auto split = split_number(text);
  if (!split) return ValueError{expected.what, ""};
  if (split->rest.empty()) return ValueError{expected.what, "add the unit: " + expected.units};
  const auto unit = std::ranges::find(units, split->rest, &NamedUnit::name);
  if (unit == units.end()) {
    return ValueError{expected.what, "the unit is one of " + expected.units};
  }
  const auto product = scale(*split, unit->factor);
  if (!product) return ValueError{expected.bounds, ""};
  return *product;
}

/// In nanoseconds.
ParsedValue<Scaled> parse_time(std::string_view text) {
  return parse_with_unit(
      text, kTimeUnits,
      {"must be a duration such as 30s, 10min or 500ms", "ns, us, ms, s, min (or m), h or d",
       "must be a duration of at most 292 years"});
}

bool is_plain_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '/' || letter == '_' || letter == '.' ||
         letter == '-';
}

/// Words that mean something to YAML or to us, in any case.
bool is_taken_word(std::string_view text) {
  constexpr std::array kTaken{"null", "on", "off", "true", "false", "yes", "no", "y", "n"};
  const std::string word = lower_case(text);
  return std::find(kTaken.begin(), kTaken.end(), word) != kTaken.end();
}

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace

ParsedValue<Duration> parse_duration(std::string_view text) {
  auto time = parse_time(text);
  if (auto* error = std::get_if<ValueError>(&time)) return std::move(*error);
  return Duration(std::get<Scaled>(time).units);
}

ParsedValue<Duration> parse_instant(std::string_view text) {
  auto time = parse_time(text);
  if (auto* error = std::get_if<ValueError>(&time)) return std::move(*error);
  const auto [nanoseconds, rounded] = std::get<Scaled>(time);
  if (nanoseconds < 0) return ValueError{"must not be negative", ""};
  if (rounded)
    return ValueError{"must be whole nanoseconds: at most nine decimals of a second", ""};
  return Duration(nanoseconds);
}

ParsedValue<Bytes> parse_size(std::string_view text) {
  const Expected expected{"must be a size such as 512MiB, 1.5GiB or 4096B",
                          "B, KiB, MiB, GiB, TiB, kB, MB, GB or TB",
                          "must be a size from 0B to 8388607TiB"};
  auto size = parse_with_unit(text, kSizeUnits, expected);
  if (auto* error = std::get_if<ValueError>(&size)) return std::move(*error);
  const std::int64_t bytes = std::get<Scaled>(size).units;
  if (bytes < 0) return ValueError{expected.bounds, ""};
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

ParsedValue<double> parse_ratio(std::string_view text) {
  const ValueError error{"must be a ratio such as 5% or 0.05", ""};
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto parsed = parse_decimal(text);
  const double* number = std::get_if<double>(&parsed);
  if (number == nullptr) return error;
  return percent ? *number / 100 : *number;
}

ParsedValue<double> parse_decimal(std::string_view text) {
  if (const auto number = parse_number(text)) return *number;
  return ValueError{"must be a number such as 2.5", ""};
}

ParsedValue<std::int64_t> parse_tenths(std::string_view text) {
  const ValueError error{"must be a number such as 1 or 0.3", ""};
  const auto split = split_number(text);
  if (!split || !split->rest.empty()) return error;
  const auto tenths = scale(*split, 10);
  if (!tenths || tenths->units < 0 || text.starts_with('-')) {
    return ValueError{"must be neither negative nor too large", ""};
  }
  if (tenths->rounded) return ValueError{error.expected, "at most one decimal place"};
  return tenths->units;
}

ParsedValue<std::int64_t> parse_whole(std::string_view text) {
  if (const auto number = parse_as<std::int64_t>(text)) return *number;
  return ValueError{"must be a whole number", ""};
}

ParsedValue<PointsSpec> parse_points(std::string_view text) {
  constexpr std::string_view kPerCpu = "/cpu";
  const ValueError error{"must be points such as 40 or 10/cpu", ""};
  PointsSpec spec;
  if (text.ends_with(kPerCpu)) {
    spec.per = PointsSpec::Per::cpu;
    text.remove_suffix(kPerCpu.size());
  }
  const auto split = split_number(text);
  if (!split || !split->rest.empty()) return error;
  spec.points = split->number;
  const double most = static_cast<double>(kMostPoints.value);
  if (spec.per == PointsSpec::Per::cpu) {
    if (spec.points > 0 && spec.points <= most) return spec;
    return ValueError{"must be above 0/cpu and at most 16777215/cpu", ""};
  }
  if (spec.points < 1 || spec.points > most) {
    return ValueError{"must be at least 1 and at most 16777215 points", ""};
  }
  if (spec.points != std::floor(spec.points)) {
    return ValueError{error.expected, "points without /cpu must be whole"};
  }
  return spec;
}

ParsedValue<Presence> parse_switch(std::string_view text) {
  const std::string word = lower_case(text);
  if (word == "on" || word == "true") return Presence::on;
  if (word == "off" || word == "false") return Presence::off;
  return ValueError{"must be on or off", ""};
}

ParsedValue<std::size_t> parse_word(std::string_view text, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const auto meant = closest_word(text, words);
  return ValueError{(words.size() == 1 ? "must be " : "must be one of ") + join_words(words),
                    meant ? "did you mean `" + *meant + "`?" : ""};
}

ParsedValue<std::string> parse_address(std::string_view text, int least_port) {
  ValueError error{"must be HOST:PORT such as 127.0.0.1:9797 or [::1]:9797", ""};
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) {
    error.hint = colon == 0 ? "for all addresses write 0.0.0.0 or [::]" : "";
    return error;
  }
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  std::string_view letters = "0123456789.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
    letters = "0123456789abcdefABCDEF:.";
  } else if (host.find(':') != host.npos) {
    error.hint = "an IPv6 address needs brackets";
    return error;
  }
  const bool colons_missing = bracketed && host.find(':') == host.npos;
  const bool bad_letters = host.find_first_not_of(letters) != host.npos;
  if (host.empty() || host.size() > 253 || bad_letters || colons_missing) return error;
  const auto parsed = parse_whole(text.substr(colon + 1));
  const auto* port = std::get_if<std::int64_t>(&parsed);
  if (port == nullptr || *port < least_port || *port > 65535) {
    error.hint = "the port is a number from " + std::to_string(least_port) + " to 65535";
    return error;
  }
  return std::string(text);
}

ParsedValue<std::string> parse_path(std::string_view text, std::size_t most) {
  const auto parsed = parse_text(text);
  if (std::holds_alternative<ValueError>(parsed)) return parsed;
  if (!text.starts_with('/')) return ValueError{"must be an absolute path such as /run/sluice", ""};
  if (text.size() > most) {
    return ValueError{"must be a path of at most " + std::to_string(most) + " bytes", ""};
  }
  return std::string(text);
}

ParsedValue<std::string> parse_text(std::string_view text) {
  const bool control = std::any_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
  });
  if (control) return ValueError{"must be text without control characters", ""};
  return std::string(text);
}

std::string print_duration(Duration duration) {
  if (duration.count() == 0) return "0s";
  // Nanoseconds always fit.
  const auto unit = std::find_if(kTimeUnits.rbegin(), kTimeUnits.rend(), [&](const auto& each) {
    return duration.count() % each.factor == 0;
  });
  return std::to_string(duration.count() / unit->factor) + std::string(unit->name);
}

std::string print_size(Bytes size) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::uint64_t number = size.value;
  std::size_t unit = 0;
  while (number != 0 && number % 1024 == 0 && unit + 1 < kUnits.size()) {
    number /= 1024;
    ++unit;
  }
  return std::to_string(number) + std::string(kUnits[unit]);
}

std::string print_decimal(double number) { return number_text(number); }

std::string print_ratio(double ratio) {
  // 0.07 x 100 is not 7 in binary; use the nearest short number that converts back to the ratio.
  const double percent = ratio * 100;
  const double rounded = std::round(percent * 1e6) / 1e6;
  for (const double candidate : {rounded, percent}) {
    if (candidate / 100 == ratio) return print_decimal(candidate) + "%";
  }
  return print_decimal(ratio);
}

std::string print_points(const PointsSpec& points) {
  std::array<char, 400> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                          points.points, std::chars_format::fixed);
  return std::string(digits.data(), end) + (points.per == PointsSpec::Per::cpu ? "/cpu" : "");
}

std::string print_text(std::string_view text) {
  const bool plain = !text.empty() && text.front() != '-' && text.front() != '.' &&
                     !(text.front() >= '0' && text.front() <= '9') &&
                     std::all_of(text.begin(), text.end(), is_plain_letter) && !is_taken_word(text);
  return plain ? std::string(text) : quoted(text);
}

std::string print_path_name(std::string_view name) {
  return name.find('.') == name.npos ? print_text(name) : quoted(name);
}

std::string print_tenths(std::int64_t tenths) {
  const std::string whole = std::to_string(tenths / 10);
  return tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10);
}

std::string print_list(const std::vector<std::string>& texts) {
  return "[" + join_words(texts | std::views::transform(print_text)) + "]";
}

}  // namespace sluice

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/seconds.h"
#include "base/utf8.h"

namespace sluice {
namespace {

/// Length of the well-formed UTF-8 sequence at the front; 0 if there is none, or it must not be
/// displayed.
std::size_t printable_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto first = static_cast<unsigned char>(text[0]);
  if (length == 1) return first >= 0x20 && first != 0x7f ? 1 : 0;
  return is_control_sequence(text.substr(0, length)) ? 0 : length;
}

std::string two_digits(long long number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

std::string number_text(double number, int decimals) {
  std::array<char, 400> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                          std::chars_format::fixed, decimals);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

std::string number_text(double number) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

std::string bytes_text(double bytes, int decimals) {
  constexpr std::array<const char*, 7> kUnits{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  std::size_t unit = 0;
  // From 1023.95 on, one decimal would print as 1024.0 of the smaller unit.
  while (bytes >= 1023.95 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return number_text(bytes, unit == 0 ? 0 : decimals) + kUnits[unit];
}

std::string bytes_text(Bytes bytes) { return bytes_text(static_cast<double>(bytes.value)); }

std::string duration_text(double seconds, Precision precision) {
  seconds = std::max(0.0, seconds);
  if (precision == Precision::milliseconds && seconds < 0.9995) {
    return number_text(1000 * seconds, 0) + " ms";
  }
  if (precision == Precision::seconds_up) seconds = std::ceil(seconds);
  const bool is_whole = precision == Precision::seconds || precision == Precision::seconds_up;
  // From here on, the seconds would print as 60.
  if (seconds < (is_whole ? 59.5 : 59.95)) return number_text(seconds, is_whole ? 0 : 1) + " s";
  long long whole = std::llround(seconds);
  constexpr long long kHour = 3600, kMinute = 60;
  // From here on, the minutes are the last figure that is shown.
  if (precision == Precision::seconds_up && whole >= kHour) {
    whole = (whole + kMinute - 1) / kMinute * kMinute;
  }
  return whole < kHour
             ? std::to_string(whole / kMinute) + " min " + two_digits(whole % kMinute) + " s"
             : std::to_string(whole / kHour) + " h " + two_digits(whole % kHour / kMinute) + " min";
}

std::string duration_text(Duration duration, Precision precision) {
  return duration_text(to_seconds(duration), precision);
}

std::string percent_text(double ratio) { return number_text(100 * ratio, 1) + "%"; }

std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string cpus_text(double cpus) {
  const double shown = std::round(cpus * 100) / 100;
  return number_text(shown) + (shown == 1 ? " CPU" : " CPUs");
}

std::string hex_digits(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const unsigned char byte : bytes) digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  return digits;
}

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\x" + hex_digits({&first, 1});
    } else {
      out += first == '\\' ? "\\\\" : text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string environment_text(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  out.reserve(std::min(text.size(), most));
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (out.size() + std::max<std::size_t>(length, 1) > most) break;
    if (length == 0) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace sluice

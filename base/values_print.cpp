#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/suggest.h"
#include "base/values.h"

namespace sluice {
namespace {

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

std::string print_duration(Duration duration) {
  struct Named {
    std::string_view name;
    std::int64_t factor;
  };
  constexpr std::array kUnits{Named{"d", 86'400'000'000'000}, Named{"h", 3'600'000'000'000},
                              Named{"min", 60'000'000'000},   Named{"s", 1'000'000'000},
                              Named{"ms", 1'000'000},         Named{"us", 1'000}};
  if (duration.count() == 0) return "0s";
  for (const Named& unit : kUnits) {
    if (duration.count() % unit.factor != 0) continue;
    return std::to_string(duration.count() / unit.factor) + std::string(unit.name);
  }
  return std::to_string(duration.count()) + "ns";
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

std::string print_decimal(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end};
}

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
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + print_text(text);
  return "[" + list + "]";
}

}  // namespace sluice

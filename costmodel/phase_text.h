#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/seconds.h"
#include "sluice/units.h"

namespace sluice {

// Parts of a run as stored in the history: each with its end, after the start of the run, and the
// level of something in it, >= 0.

/// Takes a number from 0 to `most` and the separator after it; nullopt if there is none.
inline std::optional<double> take_number(std::string_view& text, double most, char separator) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0 && value <= most)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return separator == ' ' ? std::optional(value) : std::nullopt;
  if (text.front() != separator) return std::nullopt;
  text.remove_prefix(1);
  return separator == ' ' && text.empty() ? std::nullopt : std::optional(value);
}

/// "4:0.01 5:1": ends in seconds, to the millisecond, and levels to so many `digits`.
template <typename Phases>
std::string phases_to_text(const Phases& phases, int digits) {
  std::string text;
  std::array<char, 64> number{};
  const auto append = [&](double value, int significant) {
    const auto end = std::to_chars(number.data(), number.data() + number.size(), value,
                                   std::chars_format::general, significant);
    text.append(number.data(), end.ptr);
  };
  for (const auto& [until, level] : phases) {
    if (!text.empty()) text += ' ';
    // Milliseconds, however long the run: the ends of two phases must stay apart.
    append(std::round(1000 * to_seconds(until)) / 1000, 13);
    text += ':';
    append(level, digits);
  }
  return text;
}

/// Sets the first of the phases and returns how many; nullopt for anything that `phases_to_text`
/// does not write, more phases than there are, or a level above `most_level`.
template <typename Phase, std::size_t most>
std::optional<std::size_t> parse_phases(std::string_view text, std::array<Phase, most>& phases,
                                        double most_level) {
  constexpr double kLongestPhaseSeconds = 1e9;
  std::size_t count = 0;
  Duration before{0};
  while (!text.empty()) {
    if (count == most) return std::nullopt;
    const auto seconds = take_number(text, kLongestPhaseSeconds, ':');
    const auto level = seconds ? take_number(text, most_level, ' ') : std::nullopt;
    if (!level) return std::nullopt;
    const Duration until(std::llround(*seconds * 1e9));
    if (until <= before) return std::nullopt;
    phases[count++] = {until, *level};
    before = until;
  }
  return count;
}

}  // namespace sluice

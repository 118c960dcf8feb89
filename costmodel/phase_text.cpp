#include "costmodel/phase_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/seconds.h"

namespace sluice {
namespace {

constexpr double kLongestPhaseSeconds = 1e9;

/// Takes a number from 0 to `most` and the separator after it; nullopt if there is none.
std::optional<double> take_number(std::string_view& text, double most, char separator) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0 && value <= most)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return separator == ' ' ? std::optional(value) : std::nullopt;
  if (text.front() != separator) return std::nullopt;
  text.remove_prefix(1);
  return separator == ' ' && text.empty() ? std::nullopt : std::optional(value);
}

}  // namespace

std::string phases_to_text(std::span<const StoredPhase> phases, int digits) {
  std::string text;
  std::array<char, 64> number{};
  const auto append = [&](double value, int significant) {
    const auto end = std::to_chars(number.data(), number.data() + number.size(), value,
                                   std::chars_format::general, significant);
    text.append(number.data(), end.ptr);
  };
  for (const StoredPhase& phase : phases) {
    if (!text.empty()) text += ' ';
    // Milliseconds, however long the run: the ends of two phases must stay apart.
    append(std::round(1000 * to_seconds(phase.until)) / 1000, 13);
    text += ':';
    append(phase.level, digits);
  }
  return text;
}

std::optional<std::vector<StoredPhase>> parse_phases(std::string_view text, std::size_t most,
                                                     double most_level) {
  std::vector<StoredPhase> phases;
  while (!text.empty()) {
    if (phases.size() == most) return std::nullopt;
    const auto until = take_number(text, kLongestPhaseSeconds, ':');
    const auto level = until ? take_number(text, most_level, ' ') : std::nullopt;
    if (!level) return std::nullopt;
    const StoredPhase phase{Duration(std::llround(*until * 1e9)), *level};
    if (phase.until <= (phases.empty() ? Duration{0} : phases.back().until)) return std::nullopt;
    phases.push_back(phase);
  }
  return phases;
}

}  // namespace sluice

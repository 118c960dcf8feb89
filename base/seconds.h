#pragma once

#include <algorithm>
#include <chrono>

#include "sluice/units.h"

namespace sluice {

/// A duration in seconds.
constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The duration of that many seconds, cut to whole nanoseconds; they must be within 292 years.
constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// The sum, at most the longest duration there is, whatever a file says. `one` >= 0.
constexpr Duration bounded_sum(Duration one, Duration other) {
  return one + std::min(other, Duration::max() - one);
}

}  // namespace sluice

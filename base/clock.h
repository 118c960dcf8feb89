#pragma once

#include <chrono>
#include <cstdint>

#include "sluice/units.h"

namespace sluice {

/// A duration in seconds.
constexpr double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The duration of that many seconds, cut to whole nanoseconds; they must be within 292 years.
constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Wall-clock time in seconds since 1970.
inline double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The same in whole seconds.
inline std::int64_t unix_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

}  // namespace sluice

#pragma once

#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <ctime>

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

/// The duration in a time as the kernel gives it.
constexpr Duration duration_of(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}
constexpr Duration duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// The same for the kernel.
constexpr timespec timespec_of(Duration duration) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(duration);
  return {static_cast<time_t>(whole.count()), static_cast<long>((duration - whole).count())};
}

/// The sum, at most the longest duration there is, whatever a file says. `one` >= 0.
constexpr Duration bounded_sum(Duration one, Duration other) {
  return one + std::min(other, Duration::max() - one);
}

}  // namespace sluice

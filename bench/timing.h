#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "sluice/units.h"

namespace sluice {

// Times of benchmarks.

inline double microseconds_since(TimePoint began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

inline double milliseconds_since(TimePoint began) { return microseconds_since(began) / 1000; }

/// The value below which `part` of them lie; sorts them, at least one.
inline double quantile(std::vector<double>& values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace sluice

#pragma once

#include <time.h>

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

/// CPU time of this thread, which excludes other load on the machine.
inline double cpu_microseconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return 1e6 * static_cast<double>(used.tv_sec) + 1e-3 * static_cast<double>(used.tv_nsec);
}

/// The value below which `part` of them lie; sorts them, at least one.
inline double quantile(std::vector<double>& values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace sluice

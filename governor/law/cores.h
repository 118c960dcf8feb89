#pragma once

#include <chrono>
#include <cmath>

#include "sluice/units.h"

// Points, cores and seconds of CPU time, each as the others.

namespace sluice {

/// 10 points are one busy core.
inline constexpr double kPointsPerCore = 10;

/// Rounded to the nearest point.
inline Points points_of(double cores) { return Points{std::llround(kPointsPerCore * cores)}; }

inline double cores_of(Points points) { return static_cast<double>(points.value) / kPointsPerCore; }

inline double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace sluice

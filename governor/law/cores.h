#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

#include "sluice/units.h"

// Conversions between points and cores; scaled points, and the used part of a window.

namespace sluice {

/// 10 points are one busy core.
inline constexpr double kPointsPerCore = 10;

/// Rounded to the nearest point.
inline Points points_of(double cores) { return Points{std::llround(kPointsPerCore * cores)}; }

inline double cores_of(Points points) { return static_cast<double>(points.value) / kPointsPerCore; }

/// Whole points, rounded down; a product that is whole except for binary rounding stays whole.
inline Points scaled(Points points, double factor) {
  return Points{
      static_cast<std::int64_t>(std::floor(static_cast<double>(points.value) * factor + 1e-6))};
}

/// The variance of a whole number of cores with this mean that varies as little as it can: 0 for a
/// job that keeps a core busy, 1/4 for one that needs a core for half of its time. The variances of
/// independent jobs add up.
inline double variance_of_cores(double mean) {
  const double part = mean - std::floor(mean);
  return part * (1 - part);
}

/// The part of a window of this size that is in use.
inline double part_used(Points usage, Points size) {
  return static_cast<double>(usage.value) / static_cast<double>(size.value);
}

}  // namespace sluice

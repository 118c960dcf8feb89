#pragma once

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

/// The part of a window of this size that is in use.
inline double part_used(Points usage, Points size) {
  return static_cast<double>(usage.value) / static_cast<double>(size.value);
}

}  // namespace sluice

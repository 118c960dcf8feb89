#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "governor/law/window.h"

// What `adaptive` and `knee` make of the congestion sensors.

namespace sluice {

/// All that a law needs to know about the sensors.
struct Congestion {
  bool congestion_red = false;
  bool gate_red = false;
  bool fresh = true;
  double pressure = 0;     ///< Of the worst congestion sensor.
  std::string_view worst;  ///< The worst red one.
};

Congestion congestion_of(Law law, std::span<const JudgedSensor> sensors);

/// One cut, however many sensors are red: in proportion to the excess (Breakwater, OSDI 2020), at
/// most one in `cut_settle`, and none before the last one has taken effect.
WindowStep cut(const WindowParameters& parameters, WindowState state, const WindowInput& input,
               const Congestion& congestion);

/// Growth by a factor of 2^h below the threshold and by `step` x h above it; h is the headroom of
/// the worst congestion sensor.
WindowStep grow(const WindowParameters& parameters, WindowState state, double pressure);

/// Whole points, rounded down; a product that is whole except for binary rounding stays whole.
Points scaled(Points points, double factor);

}  // namespace sluice

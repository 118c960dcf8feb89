#pragma once

#include <span>
#include <string_view>

#include "governor/law/window.h"

// What the laws derive from the congestion sensors.

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

}  // namespace sluice

#include "governor/law/congestion_signal.h"

#include <algorithm>

namespace sluice {
namespace {

/// Under `rfc` every sensor moves the window, except the operator's switch and a gate that cannot
/// be read, which says nothing about the window.
Acts acts_under(Law law, const JudgedSensor& sensor) {
  const bool is_blind_gate = sensor.acts == Acts::gate && !sensor.fresh;
  if (law != Law::rfc || is_blind_gate) return sensor.acts;
  return sensor.name == "pause" ? Acts::gate : Acts::congestion;
}

}  // namespace

Congestion congestion_of(Law law, std::span<const JudgedSensor> sensors) {
  Congestion congestion;
  std::string_view worst_red;
  double worst_red_pressure = -1;
  for (const JudgedSensor& sensor : sensors) {
    congestion.fresh = congestion.fresh && sensor.fresh;
    if (acts_under(law, sensor) == Acts::gate) {
      congestion.gate_red = congestion.gate_red || sensor.red;
      continue;
    }
    congestion.pressure = std::max(congestion.pressure, sensor.pressure);
    if (!sensor.red) continue;
    congestion.congestion_red = true;
    if (sensor.pressure > worst_red_pressure) {
      worst_red_pressure = sensor.pressure;
      worst_red = sensor.name;
    }
  }
  congestion.worst = worst_red;
  return congestion;
}

}  // namespace sluice

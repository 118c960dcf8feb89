#pragma once

#include <vector>

#include "governor/red_sensors.h"
#include "sluice/governor.h"

namespace sluice {

// Reads sensors and meters on the real clock. Whatever they throw becomes a failed reading.

/// The time at the last kernel tick, milliseconds late but without reading the hardware clock: good
/// enough for waits and durations, and a third of the cost on the hot path.
TimePoint coarse_now();

/// What is read while the governor runs. Replaced as a whole by a reload.
struct Inputs {
  std::vector<Sensor> sensors;
  MemoryMeter memory;
  UseMeter use;
};

std::vector<TimedMeasurement> sweep_all(const std::vector<Sensor>& sensors);

/// Empty if the meter fails: the last limits then stay in force.
std::vector<MemoryLimit> read_memory(const MemoryMeter& meter);

/// Without counters if the meter fails: the law then does without.
UseCounters read_use(const UseMeter& meter);

}  // namespace sluice

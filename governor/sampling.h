#pragma once

#include <vector>

#include "governor/gates.h"
#include "sluice/governor.h"

namespace sluice {

// Reads sensors and meters on the real clock. Whatever they throw becomes a failed reading.

std::vector<Sweep> sweep_all(const std::vector<Sensor>& sensors);

/// Empty if the meter fails: the last limits then stay in force.
std::vector<MemoryLimit> read_memory(const MemoryMeter& meter);

/// Without counters if the meter fails: the law then does without.
UseCounters read_use(const UseMeter& meter);

}  // namespace sluice

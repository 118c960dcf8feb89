#pragma once

#include "governor/core_state.h"

namespace sluice {

/// Costs are demand: a measured job without a cost of its own holds what it is expected to need
/// until its ramp is over, and then what it needs, at least one point (or `cost.minimum`) and at
/// most all CPUs. Usage may exceed the size: the excess is the queue.
void reprice_running(CoreState& core, TimePoint now);

/// Another law takes over: jobs hold what they were admitted with.
void end_repricing(CoreState& core);

}  // namespace sluice

#pragma once

#include "governor/core_state.h"

namespace sluice {

/// Under `knee` a measured job without a cost of its own costs what it needs, at most all CPUs; at
/// least its cost on admission until its ramp is over, and then at least `least_cost`. Usage may
/// exceed the window's size: the excess queues for the CPUs.
void reprice_running(CoreState& core, TimePoint now);

/// Restores the costs that jobs were admitted with: another law takes over.
void end_repricing(CoreState& core);

}  // namespace sluice

#pragma once

#include "governor/core_state.h"

// Whether the machine has room for more jobs, as a fleet that scales wants to know.

namespace sluice {

/// Whether the running jobs need less than half of the CPUs; false if these are not measured.
bool is_below_half(const CoreState& core, TimePoint now);

/// Records whether our own jobs keep the machine at its knee, and whether jobs wait for a machine
/// that has no room; see `Status::short_of_capacity`.
void record_capacity(CoreState& core, TimePoint now);
bool is_short_of_capacity(const CoreState& core, TimePoint now);

}  // namespace sluice

#pragma once

#include <cstdint>

#include "governor/core_state.h"
#include "sluice/permit.h"

// What a job takes when it starts, and gives back when it ends.

namespace sluice {

/// Starts a job whose locks have been started.
Admitted start(CoreState& core, PendingJob job, TimePoint now);
/// Starts a new job that need not wait.
Admitted start_now(CoreState& core, PendingJob candidate, TimePoint now);
/// Books the needs of the job in `slot`, whose locks have been started.
Admitted run(CoreState& core, std::uint32_t slot, TimePoint now);
/// Moves the needs of a pending job to the running one, before they are booked.
void claim_needs(CoreState& core, RunningJob& running);
/// Adds the job in `slot`, whose resources are booked, to the running ones.
Admitted enter(CoreState& core, std::uint32_t slot, TimePoint now);
void finish(CoreState& core, std::uint32_t slot, Outcome outcome, TimePoint now);

}  // namespace sluice

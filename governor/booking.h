#pragma once

#include <cstdint>

#include "governor/core_state.h"

// What a job takes when it starts, and gives back when it ends.

namespace sluice {

/// Starts a job. The caller counts its locks as held: before or, under `batch`, after the pass.
Admitted start(CoreState& core, PendingJob job, TimePoint now);
/// Starts a new job that need not wait.
Admitted start_now(CoreState& core, PendingJob candidate, TimePoint now);
/// Books the needs of the job in `slot` and adds it to the running ones; locks as for `start`.
Admitted book_and_enter(CoreState& core, std::uint32_t slot, TimePoint now);
/// Moves the needs of a pending job to the running one, before they are booked.
void claim_needs(CoreState& core, RunningJob& running);
/// Adds the job in `slot`, whose resources are booked, to the running ones.
Admitted enter(CoreState& core, std::uint32_t slot, TimePoint now);
/// Ends the job in `slot`: returns all that it held and resolves the jobs that wait for it.
void finish(CoreState& core, std::uint32_t slot, Outcome outcome, TimePoint now);

}  // namespace sluice

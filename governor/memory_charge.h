#pragma once

#include <cstdint>
#include <vector>

#include "governor/core_state.h"
#include "sluice/prediction.h"
#include "sluice/status.h"
#include "sluice/usage.h"

// What running jobs hold, and the memory reserved for them.

namespace sluice {

/// Records what a running job's processes hold now.
void measured(CoreState& core, std::uint32_t slot, const JobUsage& usage, TimePoint now);
/// Takes in new readings of the memory limits.
void observe_memory(CoreState& core, std::vector<MemoryLimit> limits);

/// Reserves memory for a job that starts.
void charge(CoreState& core, RunningJob& job, TimePoint now);
/// Recomputes the charges of all running jobs from what was measured and learned since.
void charge_all(CoreState& core, TimePoint now);

/// Memory held by running jobs, by queue and source.
std::vector<HeldMemory> held_by_queue(const CoreState& core);
/// The running job with the largest reservation; 0 if there is none.
JobId most_charged(const CoreState& core);

}  // namespace sluice

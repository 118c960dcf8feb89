#pragma once

#include <optional>

#include "governor/core_state.h"
#include "sluice/prediction.h"

// Whether the memory that a job is expected to need is there.

namespace sluice {

/// The part of the job's memory need that its parent's reservation does not cover, compared with
/// what is free; nullopt if there is no such part or no limit is known.
std::optional<Reservation::Standing> memory_standing(const CoreState& core, const PendingJob& job,
                                                     const Prediction& expected);
}  // namespace sluice

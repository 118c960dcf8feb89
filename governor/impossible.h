#pragma once

#include <cstdint>
#include <optional>

#include "governor/core_state.h"
#include "sluice/job.h"
#include "sluice/refusal.h"

// Jobs that could never start: they are refused when they are submitted.

namespace sluice {

/// The refusal of a job whose cost exceeds the largest window.
Refusal too_large_for_window(const CoreState& core, Points cost);

/// Why a job with these could never start: its cost, its needs of a manager, or its memory exceed
/// what there is, or a rule rejects it. nullopt if it could.
std::optional<Refusal> refuse_for_good(const CoreState& core, const JobRequest& job, Points cost,
                                       std::uint32_t queue, JobId id);

}  // namespace sluice

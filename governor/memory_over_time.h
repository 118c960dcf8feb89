#pragma once

#include <optional>

#include "governor/core_state.h"
#include "sluice/prediction.h"

// Jobs whose peaks do not fit beside each other may run together if what they hold fits at each
// later time. See memory/later_memory.h for how much one job will hold, and when.

namespace sluice {

/// How a job whose memory is known over time stands beside the running jobs: at the first of its
/// phases that does not fit beside what these are expected to hold then, or at its last. Jobs of
/// which that is not known count with their charge. nullopt if no limit is known, or if jobs run on
/// the permits of others. `expected` must know its memory and growth.
std::optional<Reservation::Standing> standing_over_time(const CoreState& core,
                                                        const Prediction& expected);

}  // namespace sluice

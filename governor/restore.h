#pragma once

#include <variant>
#include <vector>

#include "governor/core_state.h"
#include "sluice/governor.h"

// Jobs of an earlier governor, restored as they were.

namespace sluice {

using RestoreResult = std::variant<Admitted, Queued, Refusal>;

/// As `Governor::restore`; the core must have no jobs.
std::vector<RestoreResult> restore(CoreState& core, GovernorSnapshot snapshot, TimePoint now);

}  // namespace sluice

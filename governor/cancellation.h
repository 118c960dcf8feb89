#pragma once

#include <optional>

#include "governor/core_state.h"
#include "sluice/job.h"

// The end of pending jobs that are cancelled. Jobs that wait for one of these end too, or stop
// waiting, as their `on_failure` says.

namespace sluice {

/// What its submitter is told; nullopt if the job does not pend.
std::optional<Refusal> cancel(CoreState& core, JobId id);

/// The expected job will not come: see core.h.
void give_up(CoreState& core, JobId expected);

}  // namespace sluice

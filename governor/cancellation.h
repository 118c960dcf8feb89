#pragma once

#include "governor/core_state.h"
#include "sluice/job.h"

// Pending jobs that somebody ends. Jobs that wait for one of these end too, or stop waiting, as
// their `on_failure` says.

namespace sluice {

/// False if the job does not pend.
bool cancel(CoreState& core, JobId id);

/// The expected job will not come: see core.h.
void give_up(CoreState& core, JobId expected);

}  // namespace sluice

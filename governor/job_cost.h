#pragma once

#include "governor/core_state.h"
#include "sluice/job.h"
#include "sluice/prediction.h"

// What a job will cost and need, as the cost model and its own declaration have it.

namespace sluice {

/// `job` must be completed.
Points cost_of(const CoreState& core, const JobRequest& job);
Points cost_from(const CoreState& core, const Prediction& prediction);
/// The current prediction for a job; its own declaration takes precedence.
Prediction predict(const CoreState& core, const PendingJob& job);
/// Sets the costs of pending jobs to the model's current answers.
void reprice_all(CoreState& core);

}  // namespace sluice

#pragma once

#include <optional>

#include "governor/core_state.h"
#include "sluice/job.h"
#include "sluice/prediction.h"

// What a job will cost and need, as the cost model and its own declaration have it.

namespace sluice {

/// The points of all CPUs, as counted last: under `knee` no cost that comes from cores is higher.
/// nullopt under another law, and until they are counted.
std::optional<Points> points_of_all_cpus(const CoreState& core);
/// What a prediction costs in a window of at most `maximum`, on these CPUs.
Points cost_within(const Prediction& prediction, Points maximum, std::optional<Points> all_cpus);

/// `job` must be completed.
Points cost_of(const CoreState& core, const JobRequest& job);
Points cost_from(const CoreState& core, const Prediction& prediction);
/// The current prediction for a job; its own declaration takes precedence.
Prediction predict(const CoreState& core, const PendingJob& job);
/// Sets the costs of pending jobs to the model's current answers.
void reprice_all(CoreState& core);

}  // namespace sluice

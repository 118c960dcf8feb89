#pragma once

#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "sluice/queueing.h"

// New options for the same jobs.

namespace sluice {

/// Why `reload` must not be called with these: a queue, manager or lock level that a job still
/// needs would disappear; nullopt if it may.
std::optional<BadRequest> check_reload(const CoreState& core, const QueueingOptions& options);
/// Replaces options, sensors and cost model; a sensor whose name stays keeps its state.
std::optional<WindowChange> reload(CoreState& core, GovernorOptions options, CostModel cost_model,
                                   std::vector<KnownSensor> sensors, TimePoint now);
/// Rebuilds the indexes of all jobs under the current options.
void rebuild(CoreState& core, TimePoint now);

}  // namespace sluice

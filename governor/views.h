#pragma once

#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "sluice/explanation.h"
#include "sluice/status.h"

// What the core shows of itself.

namespace sluice {

Status status(const CoreState& core, TimePoint now);
std::vector<JobView> jobs(const CoreState& core, TimePoint now);
std::optional<JobView> job(const CoreState& core, JobId id, TimePoint now);
std::optional<Explanation> explain(const CoreState& core, JobId id, TimePoint now);

}  // namespace sluice

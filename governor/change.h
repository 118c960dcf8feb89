#pragma once

#include <optional>
#include <string_view>

#include "governor/core_state.h"
#include "sluice/job.h"

// Changes of one job or one queue.

namespace sluice {

std::optional<BadRequest> set(CoreState& core, JobId id, const JobChange& change, TimePoint now);
/// `position` is `paused` or `running`. False if there is no such queue.
bool operate_queue(CoreState& core, std::string_view queue, Switch position);

}  // namespace sluice

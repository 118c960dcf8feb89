#pragma once

#include <optional>
#include <variant>

#include "governor/core_state.h"
#include "sluice/job.h"
#include "sluice/refusal.h"

// Jobs that arrive: admitted at once, queued, or refused. See core.h.

namespace sluice {

std::variant<Admitted, Refusal> try_admit(CoreState& core, const JobRequest& job, TimePoint now);
std::variant<Queued, Refusal> submit(CoreState& core, JobRequest job, TimePoint now,
                                     std::optional<JobId> expected);
std::variant<Admitted, Queued, Refusal> admit_or_queue(CoreState& core, JobRequest job,
                                                       TimePoint now);
JobId expect(CoreState& core);
std::optional<BadRequest> check(const CoreState& core, const JobRequest& job);

/// Counts the refusal and returns it.
Refusal reject(CoreState& core, Refusal refused);

}  // namespace sluice

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "governor/books/rules.h"
#include "governor/core_state.h"
#include "sluice/job.h"

// Requests as compact pending jobs, and back.

namespace sluice {

/// Sets what predictions read of a request: what it is known by, and its inventory.
void copy_predicted_by(const CoreState& core, const PendingJob& job, JobRequest& request);

/// The request as a pending job, without its numbers and times.
PendingJob prepare(CoreState& core, JobRequest job, JobId id, Points cost, std::uint32_t queue);
/// Releases what `prepare` took, once the job neither waits nor runs.
void discard(CoreState& core, const PendingJob& job);
/// The number of the job's queue; makes its branch if it names one (`JobQueue`).
std::uint32_t queue_for(CoreState& core, const JobRequest& job);
JobRequest request_of(const CoreState& core, const PendingJob& job);
/// The refusal of a job that a rule rejects; nullopt if none does.
std::optional<Refusal> refused_by_rule(const CoreState& core, const JobRequest& job, JobId id,
                                       Points cost);
std::vector<RateLimit> limits_of(const CoreState& core, const JobRequest& job, JobId id);

}  // namespace sluice

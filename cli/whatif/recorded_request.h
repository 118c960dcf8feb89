#pragma once

#include <utility>
#include <vector>

#include "record/job_entry.h"
#include "sluice/job.h"

namespace sluice::cli {

/// What a job asked for, without its id and `after`. Hashed names of queues, locks, resources and
/// reasons are left out, since no configuration has them.
JobRequest request_of(const record::JobSubmitted& facts);

/// Recorded locks, without those of hashed levels.
std::vector<LevelLocks> locks_of(const std::vector<std::pair<record::Name, record::Name>>& locks);

/// Whether `request_of` leaves out any.
bool has_hashed_names(const record::JobSubmitted& facts);

}  // namespace sluice::cli

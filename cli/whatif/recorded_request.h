#pragma once

#include "record/job_entry.h"
#include "sluice/job.h"

namespace sluice::cli {

/// What a job asked for, without its id and `after`. Hashed names of queues, locks and resources
/// are left out, since no configuration has them.
JobRequest request_of(const record::JobSubmitted& facts);

/// Whether `request_of` leaves out any.
bool has_hashed_names(const record::JobSubmitted& facts);

}  // namespace sluice::cli

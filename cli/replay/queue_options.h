#pragma once

#include <string>

#include "sluice/job.h"
#include "sluice/queueing.h"

// Queues of a replay's configuration, and what is left of those that a reload removed.

namespace sluice::cli {

/// The queue of jobs that name none.
std::string default_queue(const QueueingOptions& options);

/// The queue that the options give a job, which may name none.
std::string queue_of(const QueueingOptions& options, const JobRequest& job);

/// Adds the old queues, managers and lock levels that the options lack, and says whether there are
/// any: jobs may still need them.
bool keep_old(const QueueingOptions& old, QueueingOptions& options);

}  // namespace sluice::cli

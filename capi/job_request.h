#pragma once

#include <sluice.h>

#include "sluice/job.h"
#include "sluice/usage.h"

namespace sluice::capi {

// C structs as the library's own, checked. All throw std::invalid_argument that names the field.

JobRequest job_request(const sluice_job_options& options);

JobUsage job_usage(const sluice_usage& usage);

/// `outcome` is a sluice_outcome.
Outcome job_outcome(int outcome);

}  // namespace sluice::capi

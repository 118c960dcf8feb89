#pragma once

#include <cstddef>

#include "costmodel/user_runs.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/prediction.h"

namespace sluice {

// The ladder of predictions: the first rung with enough runs gives the figures. Key (one run),
// program, everything (three each), prior. On each rung: the job's user, then user `""`, then the
// median of all other users, counting only what the governor itself measured of their jobs. Neither
// function allocates once the rung has been queried before.

/// What the runs say about the next run of the job; a job without runs gets the formula's cost and
/// the prior's memory.
Prediction predict(const RunsByUser& runs, const CostOptions& cost,
                   const ReservationOptions& reservation, const JobRequest& job);

/// The number of runs that the prediction would use; 0 for the prior.
std::size_t runs_behind(const RunsByUser& runs, const JobRequest& job);

}  // namespace sluice

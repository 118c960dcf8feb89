#pragma once

#include <iosfwd>
#include <vector>

#include "cli/batch/job.h"
#include "cli/batch/order.h"
#include "cli/batch/work.h"
#include "sluice/prediction.h"

namespace sluice::cli {

enum class DryRunForm { text, json };

/// Prints the jobs in the order in which they would start if each waited for the end of the
/// previous one, with their predicted needs; runs nothing. Leaves out jobs that `resume` skips
/// and those that would not run because such a job did not end ok.
void print_dry_run(const std::vector<BatchJob>& jobs, const BatchResume& resume,
                   const CostModel& predict, BatchOrder::By by, DryRunForm form, std::ostream& out);

}  // namespace sluice::cli

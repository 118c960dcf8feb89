#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include "cli/batch/job.h"
#include "cli/batch/order.h"
#include "sluice/prediction.h"

namespace sluice::cli {

enum class DryRunForm { text, json };

/// Prints the jobs in the order in which they would start if each waited for the end of the
/// previous one, with their predicted needs; runs nothing. Leaves out jobs that have run already
/// according to `is_done`; jobs after them need not wait.
void print_dry_run(const std::vector<BatchJob>& jobs,
                   const std::function<bool(const BatchJob&)>& is_done, const CostModel& predict,
                   BatchOrder::By by, DryRunForm form, std::ostream& out);

}  // namespace sluice::cli

#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include "cli/batch/job.h"
#include "cli/batch/order.h"
#include "sluice/prediction.h"

namespace sluice::cli {

enum class DryRunForm { text, json };

/// Prints the jobs in the order in which they would be started if each began when the one before
/// it had ended, with what each is expected to need; runs nothing. Those that `is_done` says have
/// run already are left out, and what comes after them need not wait.
void print_dry_run(const std::vector<BatchJob>& jobs,
                   const std::function<bool(const BatchJob&)>& is_done, const CostModel& predict,
                   BatchOrder::By by, DryRunForm form, std::ostream& out);

}  // namespace sluice::cli

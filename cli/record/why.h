#pragma once

#include <functional>

#include "cli/record/read.h"
#include "sluice/units.h"

namespace sluice::cli {

/// `sluice why`, for the job or the moment of the query. Prints to standard output and returns the
/// exit status; throws std::runtime_error if there is no record.
/// `pause` waits for the daemon to write, if the record does not have the job yet.
int why(const RecordQuery& query, const std::function<void(Duration)>& pause);

}  // namespace sluice::cli

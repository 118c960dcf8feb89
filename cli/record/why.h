#pragma once

#include "cli/record/read.h"

namespace sluice::cli {

/// `sluice why`, for the job or the moment of the query. Prints to standard output and returns the
/// exit status; throws std::runtime_error if there is no record.
int why(const RecordQuery& query);

}  // namespace sluice::cli

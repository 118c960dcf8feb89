#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/batch/job.h"
#include "cli/batch/joblog.h"
#include "cli/batch/processes.h"
#include "cli/batch/table.h"
#include "sluice/units.h"

namespace sluice::cli {

/// How a job ended, for people: "exit status 1". `timeout`: that of the batch, if it has one.
std::string how_of(const BatchProcesses::Ended& ended, std::optional<Duration> timeout);

/// What a joblog says of a job that could not be started, as a shell would have it, ...
JoblogLine line_of_unstarted(const BatchJob& job, std::int64_t cost);
/// ... and of one after its last run.
JoblogLine line_of(const TrackedJob& tracked, const BatchProcesses::Ended& ended);

}  // namespace sluice::cli

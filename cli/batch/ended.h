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

/// How a job ended, for people: "exit status 1". `timeout`: the batch's, if it has one.
std::string how_of(const BatchProcesses::Ended& ended, std::optional<Duration> timeout);

/// The joblog line of a job that could not be started, with a shell's exit status, ...
JoblogLine line_of_unstarted(const BatchJob& job, std::int64_t cost, double now);
/// ... of a job that may not run, after it waited for `waited`, ...
JoblogLine line_of_refused(const TrackedJob& tracked, Duration waited, double now);
/// ... and of a job after its last run.
JoblogLine line_of(const TrackedJob& tracked, const BatchProcesses::Ended& ended);

}  // namespace sluice::cli

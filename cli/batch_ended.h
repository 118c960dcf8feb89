#pragma once

#include <optional>
#include <string>

#include "cli/batch_job.h"
#include "cli/batch_joblog.h"
#include "cli/batch_processes.h"
#include "cli/batch_table.h"
#include "sluice/units.h"

namespace sluice::cli {

/// How a job ended, for people: "exit status 1". `timeout`: that of the batch, if it has one.
std::string how_of(const BatchProcesses::Ended& ended, std::optional<Duration> timeout);

/// What a joblog says of a job before it has run, and after its last run.
JoblogLine line_of(const BatchJob& job);
JoblogLine line_of(const TrackedJob& tracked, const BatchProcesses::Ended& ended);

}  // namespace sluice::cli

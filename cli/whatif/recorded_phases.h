#pragma once

#include <vector>

#include "config/scenario_job.h"
#include "record/job_entry.h"

namespace sluice::cli {

/// What a finished run did, as phases of a modelled job: what it would take on an idle machine.
/// Cores and memory over time where they were measured often enough; else its means, with memory
/// that grows from nothing to the peak. Time in which a disk blocked it counts as waiting. Pure.
std::vector<ScenarioPhase> phases_of_run(const record::JobFinished& run);

/// The rest of a run from `passed` after its start on.
std::vector<ScenarioPhase> rest_of(std::vector<ScenarioPhase> phases, Duration passed);

}  // namespace sluice::cli

#pragma once

#include <vector>

#include "config/scenario_job.h"
#include "record/job_entry.h"

namespace sluice::cli {

/// What a finished run did, as phases of a modelled job: what it would take on an idle machine.
/// Cores and memory over time where they were measured often enough; else its means, with memory
/// that grows from nothing to the peak. Time in which a disk blocked it counts as waiting. Pure.
std::vector<ScenarioPhase> phases_of_run(const record::JobFinished& run);

/// The rest of a run that took `whole`, from `passed` after its start on. The phases may be
/// shorter, as on an idle machine: it was as far in them as in the whole. Memory goes on growing
/// from what it held by then. Pure.
std::vector<ScenarioPhase> rest_of(std::vector<ScenarioPhase> phases, Duration passed,
                                   Duration whole);

}  // namespace sluice::cli

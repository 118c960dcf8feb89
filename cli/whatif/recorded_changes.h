#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/record/story.h"
#include "cli/whatif/recorded_events.h"
#include "config/scenario.h"

namespace sluice::cli {

/// The id of a job in the scenario.
using ScenarioIds = std::function<std::string(JobId)>;

/// Puts what others changed of a job into a scenario: what was changed before it comes (`job.at`)
/// into its request, the rest as events. A job that was frozen before it comes, comes as it is
/// released: false if it never is. Hashed names are left out. Pure.
bool add_changes(const JobStory& story, const RecordedSpan& span, const ScenarioIds& id_of,
                 ScenarioJob& job, std::vector<ScenarioEvent>& events);

/// Some jobs are not in the scenario: those that were over at its begin, or had not started at its
/// end. No job of it waits for them or is moved beside them.
void forget_absent(Scenario& scenario);

}  // namespace sluice::cli

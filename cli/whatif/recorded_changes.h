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

/// Whether a job may start once its turn comes, or is kept from that for good.
enum class Waits { for_turn, for_good };

/// Puts what others changed of a job into a scenario: what was changed before its begin into the
/// request, the rest as events. Moves from before are not told: they are in the order of the jobs.
/// A job that was frozen before, or that waits for good, is frozen as it comes. False, and then
/// nothing is added, if it was frozen and started, and the part of the record does not say when it
/// was released. Hashed names are left out. Pure.
bool add_changes(const JobStory& story, const RecordedSpan& span, const ScenarioIds& id_of,
                 Waits waits, ScenarioJob& job, std::vector<ScenarioEvent>& events);

/// Some jobs are not in the scenario: those that were over at its begin, or had not started at its
/// end. No job of it waits for them or is moved beside them.
void forget_absent(Scenario& scenario);

}  // namespace sluice::cli

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/replay/record.h"
#include "config/scenario.h"

namespace sluice::cli {

/// Returns the next job in submission order, monostate at the end, or an error; called until it
/// returns no job.
using JobSource = std::function<std::variant<std::monostate, ScenarioJob, ConfigError>()>;

/// A source of jobs known in advance, in order of `at`.
JobSource jobs_from(std::vector<ScenarioJob> jobs);

/// Runs a scenario through the governor's own core on a virtual clock and reports the events to the
/// sink. The order within one instant: jobs that end, sensors, events, submissions, the window's
/// tick if due, admission; whether work is taken is judged last. The jobs come from `jobs`; errors
/// in them name `jobs_file`. Returns an error if the scenario cannot continue; events reported
/// before it stay valid. Reads neither the clock nor anything else of the machine: equal scenarios
/// give equal events.
std::optional<ConfigError> run_replay(const Scenario& scenario, const JobSource& jobs,
                                      const std::string& jobs_file, const ReplaySink& sink);

}  // namespace sluice::cli

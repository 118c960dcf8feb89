#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/replay/record.h"
#include "config/scenario.h"

namespace sluice::cli {

/// The next job in the order of submission, or the end (monostate), or why there is none: called
/// until it gives no job.
using JobSource = std::function<std::variant<std::monostate, ScenarioJob, ConfigError>()>;

/// A source of jobs that are all there, in order of `at`.
JobSource jobs_from(std::vector<ScenarioJob> jobs);

/// Runs a scenario through the governor's own core on a virtual clock and tells the sink what
/// happens. At one instant, in this order: jobs that end, sensors, events, submissions, the
/// window's tick if due, admission; whether work is taken is judged last. The jobs are those of
/// `jobs`; errors in them are placed in `jobs_file`. Gives what is wrong with the scenario where it
/// cannot go on; what was told until then stands. Reads no clock and nothing else of the machine:
/// the same scenario tells the same.
std::optional<ConfigError> run_replay(const Scenario& scenario, const JobSource& jobs,
                                      const std::string& jobs_file, const ReplaySink& sink);

}  // namespace sluice::cli

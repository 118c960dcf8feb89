#pragma once

#include <optional>

#include "cli/replay_record.h"
#include "cli/replay_scenario.h"

namespace sluice::cli {

/// Runs a scenario through the governor's own core on a virtual clock and tells the sink what
/// happens. At one instant, in this order: jobs that end, sensors, events, submissions, the
/// window's tick if due, admission; whether work is taken is judged last. Without `until` it ends
/// when nothing runs, nothing more is scripted and no job's age will change anything any more.
/// Gives what is wrong with the scenario where it cannot go on; what was told until then stands.
/// Reads no clock and nothing else of the machine: the same scenario tells the same.
std::optional<ConfigError> run_replay(ReplayScenario scenario, const ReplaySink& sink);

}  // namespace sluice::cli

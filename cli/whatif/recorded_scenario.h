#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/whatif/model_run.h"
#include "cli/whatif/recorded_work.h"
#include "config/scenario.h"

namespace sluice::cli {

/// What a scenario has instead of what was recorded.
struct ScenarioOverrides {
  /// Text of a configuration, and its name; nullopt: as recorded, with the recorded reloads.
  std::optional<std::pair<std::string, std::string>> config = std::nullopt;
  std::vector<ConfigSetting> settings = {};    ///< Over either.
  std::optional<double> cpus = std::nullopt;   ///< > 0
  std::optional<Bytes> memory = std::nullopt;  ///< > 0
};

/// A recorded time as a scenario with a modelled machine.
struct RecordedScenario {
  Scenario scenario;
  /// What happened. Waits are those of the jobs that came and started in that time.
  RunFigures recorded;
  record::WallTime from, to;  ///< Of the first and the last entry.
  std::size_t jobs = 0;
  std::size_t unmeasured = 0;  ///< Of these, those whose use was not measured: they only wait.
  std::size_t unfinished = 0;  ///< Still ran at the end: they end there.
  std::size_t lost_ends = 0;   ///< Ran when the record broke off: they end there.
  std::size_t left_out = 0;    ///< Had not started at the end: what they do is unknown.
  std::uint64_t lost = 0;      ///< Entries that are missing.
  /// Sentences about what the scenario leaves out, without their stops.
  std::vector<std::string> remarks;
};

/// Every job does what it was measured to do, on a machine like the recorded one, from the moment
/// at which it was submitted: the next job of a client that waits for the one before comes when it
/// came then. Jobs that had started before the begin run at it. Jobs that others cancelled are
/// cancelled then. The daemon's history before is taken from the first runs of each key that it
/// could predict. Pure. Returns a clause about what is missing, or the errors of a configuration.
std::variant<RecordedScenario, std::string, std::vector<ConfigError>> scenario_of(
    const RecordedWork& work, const ScenarioOverrides& overrides);

}  // namespace sluice::cli

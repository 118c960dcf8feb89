#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/scenario.h"
#include "sluice/options.h"
#include "sluice/sensor.h"

namespace sluice::cli {

/// What a governor is made of in the closed world of a replay: `dwell` is 0, jobs count as started
/// on admission, and any number of them may wait, since nobody's memory has to be protected. What
/// jobs may declare together is 90 % of the machine's `memory`.
GovernorOptions replay_options(const Config& config, double cpus, std::optional<Bytes> memory);

/// How a scripted sensor is judged: always fresh, its own `resume` and `acts`; a name that neither
/// Sluice nor the configuration knows is a congestion sensor.
SensorPolicy replay_policy(const SensorOptions& options, std::string_view name);

/// The names of the sensors there are, in order of their first reading.
std::vector<std::string> replay_sensors(const Scenario& scenario);

}  // namespace sluice::cli

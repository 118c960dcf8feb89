#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/scenario.h"
#include "sluice/options.h"
#include "sluice/sensor.h"

namespace sluice::cli {

/// The options of a governor in the closed world of a replay: `dwell` is 0, jobs count as started
/// on admission, and any number of them may wait, since memory needs no protection. Jobs may
/// declare 90 % of the machine's `memory` together.
GovernorOptions replay_options(const Config& config, double cpus, std::optional<Bytes> memory);

/// How to judge a scripted sensor: always fresh, with its own `resume` and `acts`; a name unknown
/// to both Sluice and the configuration is a congestion sensor.
SensorPolicy replay_policy(const SensorOptions& options, std::string_view name);

/// The names of the sensors, in order of their first readings.
std::vector<std::string> replay_sensors(const Scenario& scenario);

}  // namespace sluice::cli

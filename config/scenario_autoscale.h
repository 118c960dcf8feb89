#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "sluice/autoscale.h"

namespace sluice {

/// A fleet as it is seen at one time of a scenario.
struct TimedObservation {
  Duration at{0};
  Observation seen;
};

/// What `sluice replay --autoscale` plays: fleets as they are seen, one after the other.
struct AutoscaleScenario {
  std::string file;  ///< As it is to be named to people.
  AutoscaleOptions options;
  Duration started{0};                         ///< When the autoscaler began to look.
  std::vector<TimedObservation> observations;  ///< In the order of time.
};

/// A scenario, or all that is wrong with it in the order of the file; after the hundredth error the
/// rest is only counted.
using AutoscaleScenarioResult = std::variant<AutoscaleScenario, std::vector<ConfigError>>;

/// Reads YAML text of at most `kMostScenarioBytes`. Pure; never throws for any bytes. `file_name`
/// is for messages.
AutoscaleScenarioResult parse_autoscale_scenario(std::string_view text, std::string file_name);

/// Reads a file. One that cannot be read is an error without a line.
AutoscaleScenarioResult read_autoscale_scenario(const std::string& path);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "sluice/autoscale.h"

namespace sluice {

/// The state of a fleet observed at one time of a scenario.
struct TimedObservation {
  Duration at{0};
  Observation seen;
};

/// What `sluice replay --autoscale` plays: a sequence of fleet observations.
struct AutoscaleScenario {
  std::string file;  ///< The name shown to people.
  AutoscaleOptions options;
  Duration started{0};                         ///< When the autoscaler started observing.
  std::vector<TimedObservation> observations;  ///< In order of time.
};

/// A scenario, or all its errors in file order; errors after the hundredth are only counted.
using AutoscaleScenarioResult = std::variant<AutoscaleScenario, std::vector<ConfigError>>;

/// Parses YAML text of at most `kMostScenarioBytes`. Pure; never throws, whatever the bytes.
/// `file_name` appears in messages.
AutoscaleScenarioResult parse_autoscale_scenario(std::string_view text, std::string file_name);

/// Reads a file. An unreadable file gives an error without a line.
AutoscaleScenarioResult read_autoscale_scenario(const std::string& path);

}  // namespace sluice

#pragma once

#include <string>

#include "config/scenario.h"

namespace sluice::cli {

/// A scenario as YAML that `sluice replay` reads, with its jobs in the file `jobs_file`. Of what a
/// record leads to, everything is written; of other scenarios, CPU series and changes of jobs are
/// not. The first lines name what no record has.
std::string scenario_yaml(const Scenario& scenario, const std::string& jobs_file);

/// The jobs of a scenario, one JSON object per line.
std::string jobs_text(const Scenario& scenario);

}  // namespace sluice::cli

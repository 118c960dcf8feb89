#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "config/scenario.h"

namespace sluice::cli {

/// How long jobs waited, and what was done meanwhile: recorded, or of a modelled run.
struct RunFigures {
  std::map<std::string, Duration, std::less<>> waits;  ///< Of the jobs that started, by id.
  Duration makespan{0};                                ///< To the end of the last job.
  std::optional<double> busy;  ///< Mean part of the CPUs until then; nullopt if not known.
  std::size_t killed = 0;      ///< For memory.
  std::size_t never = 0;       ///< Jobs that waited at the end or had not come.
};

/// Nearest rank; 0 without waits.
Duration wait_percentile(const RunFigures& figures, double part);

/// Runs a scenario that contains its jobs.
std::variant<RunFigures, ConfigError> run_model(const Scenario& scenario);

}  // namespace sluice::cli

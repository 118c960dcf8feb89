#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "cli/replay/record.h"
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

/// Takes the figures from a replay as it goes on.
class FigureSink {
 public:
  void add_record(const ReplayRecord& record);
  void add_instant(const ReplayInstant& instant);
  /// Call once, after the last. `jobs`: those of the scenario, which may not all have come.
  RunFigures figures(std::size_t jobs) &&;

 private:
  RunFigures figures_;
  std::map<std::string, Duration, std::less<>> waiting_;
  std::size_t came_ = 0;  ///< Jobs that were submitted, or ran from the begin on.
  double busy_seconds_ = 0, last_busy_ = 0;
  double busy_at_end_ = 0;  ///< `busy_seconds_` when the last job ended.
  Duration last_{0};
};

/// Runs a scenario that contains its jobs.
std::variant<RunFigures, ConfigError> run_model(const Scenario& scenario);

}  // namespace sluice::cli

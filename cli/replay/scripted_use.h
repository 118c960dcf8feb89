#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "config/scenario.h"
#include "governor/core.h"
#include "sluice/machine_use.h"
#include "sluice/usage.h"

namespace sluice::cli {

/// How long a job runs: its phases together, or its `runs`.
Duration time_of(const ScenarioJob& job);

/// What a job has used by its phases `elapsed` after its start. Pure.
JobUsage use_of(const std::vector<ScenarioPhase>& phases, Duration elapsed);

/// The measurements of a replay whose scenario says how busy its CPUs are (`cpu`): the machine's
/// counters by those points, and the jobs' use by their phases. Whatever is admitted changes
/// neither. Not thread-safe.
class ScriptedUse {
 public:
  /// `scenario` must outlive this.
  explicit ScriptedUse(const Scenario& scenario);

  /// Notes what a submitted job will use.
  void submitted(JobId id, const ScenarioJob& job);
  void start(const Admitted& job, TimePoint now);
  /// Forgets a running job; what it has used in all.
  JobUsage end(JobId id, TimePoint now);

  /// Measures the running jobs and the machine. `now` never goes back.
  void measure(Core& core, TimePoint now);

 private:
  struct Running {
    std::uint32_t slot = 0;
    TimePoint started;
  };

  void advance_to(TimePoint now);
  void integrate(Duration passed);

  const Scenario& scenario_;
  std::unordered_map<std::uint64_t, std::vector<ScenarioPhase>> phases_;
  std::map<std::uint64_t, Running> running_;
  UseCounters counters_;   ///< As of `counters_.at`.
  std::size_t point_ = 0;  ///< The next of `Scenario::cpu`.
  CpuPoint current_;
};

}  // namespace sluice::cli

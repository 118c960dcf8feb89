#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/fields.h"
#include "sluice/job.h"
#include "sluice/queueing.h"

namespace sluice {

/// A part of the life of a job whose use is measured: it moves `disk` first, then computes or
/// waits.
struct ScenarioPhase {
  Duration runs{0};    ///< On a modelled host: if idle, without the disk; >= 0.
  double cores = 0;    ///< On a modelled host runnable threads, else cores used; 0: it waits.
  double waiting = 0;  ///< Mean number of its tasks waiting for a CPU. Not on a modelled host.
  Bytes disk{0};       ///< Read or written. On a modelled host only.
  Bytes memory{0};     ///< Held at its begin.
  Bytes growth{0};     ///< Of the memory by its end.
};

/// A job of a replay.
struct ScenarioJob {
  int line = 0;    ///< Its line in its file.
  Duration at{0};  ///< When it is submitted; >= 0.
  /// Submitted only `gap` after this job is over; the job must be known by then. Empty: at `at`.
  std::string follows = {};
  Duration gap{0};  ///< >= 0
  /// Submitted later than `at`, in the order of the jobs, while as many of its batch wait, or wait
  /// or run, as its limits say. Empty: of no batch; such a job follows no other.
  std::string batch = {};
  std::int64_t batch_waiting = 0, batch_unfinished = 0;  ///< 0: no limit.
  Duration runs{0};  ///< Its run time once admitted; >= 0; 0 if it has phases.
  /// It already runs as the scenario begins, and has for so long; >= 0. `runs` or `phases` are the
  /// rest. Such jobs come at 0, before all others, in order of their starts.
  std::optional<Duration> ran = std::nullopt;
  /// With `ran`: the points that it was admitted with; nullopt: its cost.
  std::optional<Points> holds = std::nullopt;
  /// It already waits as the scenario begins, and has for so long; >= 0. Such jobs come at 0, after
  /// those that run and before all others, in the order in which they stand.
  std::optional<Duration> waited = std::nullopt;
  /// Where its use is measured: the cores that it keeps busy while it runs; nullopt: one.
  std::optional<double> cores = std::nullopt;
  std::vector<ScenarioPhase> phases = {};  ///< Where its use is measured, instead of `runs`.
  Outcome outcome = Outcome::ok;           ///< Its outcome.
  std::vector<std::string> after;          ///< Ids for `request.after`, which is empty.
  JobRequest request;
};

/// The fields that describe a job, by their names in YAML and JSON: id, key, queue, priority,
/// inventory, cost, locks, global_lock, resources, memory, on_failure, reasons, params, nice.
std::vector<Field<JobRequest>> job_fields();

/// Reads one job: an item of `jobs`, or a line of JSON Lines given as a tree (numbers and booleans
/// as text; every position has that line and column 0). Adds all its errors to `errors`.
ScenarioJob read_scenario_job(const YamlNode& node, std::vector<FieldError>& errors);

/// Adds an error for each queue, manager and level that the request names and the options do not
/// define. Each error has the position of its field in `node`, from which the request was read.
void check_names(const QueueingOptions& options, const JobRequest& job, const YamlNode& node,
                 std::vector<FieldError>& errors);

/// The cycles of jobs that wait for each other, each cycle once, ordered by the position of its
/// first job in `jobs`: "a, b" if a comes after b and b after a. Ignores unknown ids and jobs that
/// come after themselves. Linear time.
std::vector<std::vector<std::size_t>> find_cycles(const std::vector<ScenarioJob>& jobs);

}  // namespace sluice

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// What a caller says of a job.
struct JobRequest {
  std::string key;    ///< What kind of job this is; jobs of one key are alike. May be empty.
  int priority = 0;   ///< Larger first.
  int inventory = 1;  ///< How many nodes the job drives, >= 0: the size of its inventory.
  /// The job's own cost, at least 1 point; none: the cost model decides.
  std::optional<Points> cost;
  /// The job will say when its set-up is over (`Permit::started`); until then it counts for the
  /// `starting` sensor. Jobs that do not say so count as started on admission.
  bool reports_started = false;
};

/// How a job ended.
enum class Outcome { ok, failed, oom, cancelled };

/// Where a job is in its life.
enum class JobState { pending, running };

/// One job as seen from outside, at one instant.
struct JobView {
  JobId id;
  JobRequest request;
  JobState state = JobState::pending;
  Points cost;
  bool starting = false;              ///< Running, and has not reported its start yet.
  TimePoint arrived;                  ///< When it was submitted.
  std::optional<TimePoint> admitted;  ///< When it was admitted; none while pending.
  std::size_t place = 0;              ///< 1 is next; 0 for a running job.
  std::optional<Refusal> refusal;     ///< Why it waits; none for a running job.
};

/// Predicts the cost of a job that does not state its own. Must be pure and thread-safe and must
/// not throw or block: it is called on callers' threads and with the governor's lock held.
using CostModel = std::function<Points(const JobRequest&)>;

std::string_view to_string(Outcome outcome);
std::string_view to_string(JobState state);

}  // namespace sluice

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Why a job did not start.
enum class RefusalCode {
  window,        ///< usage + cost > size, or the window counts as full for this pass
  sensor,        ///< a sensor is red; `binding` names it
  paused,        ///< the operator paused the governor
  draining,      ///< the governor takes no more work
  queue_paused,  ///< the job's queue is paused; `binding` names it
  frozen,        ///< the job was frozen by hand
  resource,      ///< a resource manager is short; `binding` names it
  contention,    ///< it would certainly block; `binding` is the level, or "global_lock"
  memory,        ///< the memory it is expected to need does not fit
  dependency,    ///< a job it comes after has not finished, or failed; `ahead` is that job
  rule,          ///< a filter rule pauses or rejects it; `binding` is the rule: "rules[0]"
  rate_limit,    ///< as many as may run already; `binding` is "N:label", or the rule
  held_for,      ///< room or a lock is kept for an aged job, `ahead`
  behind,        ///< its queue ended at an earlier job, `ahead`
  impossible,    ///< can never run; `binding` is "window", or the manager that has too little
  cancelled,     ///< taken back before it ran
  max_pending,   ///< too many jobs wait already
  invalid        ///< names what is not there; `Governor::check` says what
};

/// The reason as data: every log line, metric, API field and message prints this one value.
/// Copying does not allocate.
struct Refusal {
  RefusalCode code = RefusalCode::window;
  /// What binds. Lives as long as the governor that said it.
  std::string_view binding;
  Points cost;   ///< What the job needs.
  Points usage;  ///< What running jobs held at that instant.
  Points size;   ///< The window at that instant; the largest possible one for `impossible`.
  JobId ahead;   ///< For `behind`, `held_for` and `dependency`: the other job.
  /// For resource, memory (bytes) and rate_limit: what the job needs, and what is free of what
  /// there is. `free` is negative where more is in use than there is now.
  std::int64_t needs = 0, free = 0, total = 0;
};

/// What people call a job; empty: its number.
using JobNames = std::function<std::string(JobId)>;

/// One sentence for people, with the numbers: "needs 15 points, 7 of 20 points are free".
std::string to_sentence(const Refusal& refusal, const JobNames& names = {});

/// The code as written in APIs, logs and metrics.
std::string_view to_string(RefusalCode code);

}  // namespace sluice

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Why a job did not start.
enum class RefusalCode {
  window,        ///< usage + cost > size, or the window counts as full for this pass; `binding` is
                 ///< "cpu", "cpu_later" or "cpu_latent" if the CPUs have no room now, in a later
                 ///< phase of the job, or for what running jobs may come to need
  sensor,        ///< a sensor is red; `binding` names it
  paused,        ///< the operator paused the governor
  draining,      ///< the governor takes no more work
  queue_paused,  ///< the job's queue is paused; `binding` names it, of a branch its queue
  frozen,        ///< the job was frozen by hand
  resource,      ///< a resource manager is short; `binding` names it
  contention,    ///< it would certainly block; `binding` is the level, or "global_lock"
  memory,        ///< the memory it is expected to need does not fit
  dependency,    ///< a job in its `after` has not finished, or failed; `ahead` is that job
  rule,          ///< a filter rule pauses or rejects it; `binding` is the rule: "rules[0]"
  rate_limit,    ///< another job of its bucket must end first; `binding` is "N:label", or the rule
  held_for,      ///< capacity or a lock is held for an aged job, `ahead`
  behind,        ///< `ahead` comes first: in its queue, or with what is left
  impossible,    ///< can never run; `binding` is "window", "memory" or a short manager
  cancelled,     ///< cancelled before it ran
  max_pending,   ///< too many jobs are pending
  invalid        ///< names something unknown, or a number is out of range; `binding` is the field,
                 ///< and `Governor::check` has the details
};

/// The reason as data: every log line, metric, API field and message prints this value. Copying
/// does not allocate.
struct Refusal {
  RefusalCode code = RefusalCode::window;
  /// The binding constraint. Valid as long as the governor that returned it.
  std::string_view binding;
  Points cost;   ///< The job's cost.
  Points usage;  ///< Points held by running jobs at that time.
  Points size;   ///< The window at that time; the largest possible one for `impossible`.
  JobId ahead;   ///< For `behind`, `held_for` and `dependency`: the other job.
  /// For resource, memory (bytes) and rate_limit: what the job needs, what is free, and the total.
  /// `free` is negative if usage exceeds the current total.
  std::int64_t needs = 0, free = 0, total = 0;
};

/// The name people know a job by; empty: its number.
using JobNames = std::function<std::string(JobId)>;

/// One sentence for people, with the numbers: "needs 15 points, 7 of 20 points are free".
std::string to_sentence(const Refusal& refusal, const JobNames& names = {});

/// The code as written in APIs, logs and metrics.
std::string_view to_string(RefusalCode code);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Why a job did not start.
enum class RefusalCode {
  window,       ///< usage + cost > size
  sensor,       ///< a sensor is red; `binding` names it
  paused,       ///< the operator paused the governor
  draining,     ///< the governor takes no more work
  behind,       ///< an earlier job of the same or a higher priority waits; `ahead` is the first
  impossible,   ///< can never run: its own cost is above the largest window
  cancelled,    ///< taken back before it ran
  max_pending,  ///< too many jobs wait already
};

/// The reason as data: every log line, metric, API field and message prints this one value.
/// Copying does not allocate.
struct Refusal {
  RefusalCode code = RefusalCode::window;
  /// What binds: "window", or the red sensor's name. Lives as long as the governor that said it.
  std::string_view binding;
  Points cost;   ///< What the job needs.
  Points usage;  ///< What running jobs held at that instant.
  Points size;   ///< The window at that instant; the largest possible one for `impossible`.
  JobId ahead;   ///< For `behind`: the job that is first in line.
};

/// One sentence for people, with the numbers: "needs 15 points, 7 of 20 are free".
std::string to_sentence(const Refusal& refusal);

/// The code as written in APIs, logs and metrics.
std::string_view to_string(RefusalCode code);

}  // namespace sluice

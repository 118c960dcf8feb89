#pragma once

#include <cstdint>

#include "sluice/options.h"
#include "sluice/reading.h"

namespace sluice {

/// The number of jobs that may be in set-up at once: max(most - running, floor). Source: Zuul's
/// starting-builds sensor; `running` includes the starting ones, so a burst from idle ends near
/// most / 2.
std::int64_t starting_limit(const GovernorOptions& options, std::int64_t running);

/// The `starting` gate: red if starting >= limit.
Reading starting_reading(const GovernorOptions& options, std::int64_t starting,
                         std::int64_t running);

}  // namespace sluice

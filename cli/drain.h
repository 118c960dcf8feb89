#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice::cli {

/// One sample of the daemon by `sluice drain --wait`.
struct DrainObservation {
  bool draining = true;
  std::int64_t running = 0;
  Duration waited{0};  ///< Since the drain request.
};

/// What follows from it: a line for people, an exit status if the wait is over, or neither.
struct DrainVerdict {
  std::string line;
  std::optional<int> status;
};

/// Status 0 when nothing runs, 1 when the daemon was resumed, 75 when `timeout` expires first;
/// until then a line each time that the number of running jobs differs from `said`. Pure.
DrainVerdict judge_drain(const DrainObservation& seen, std::optional<std::int64_t> said,
                         std::optional<Duration> timeout);

}  // namespace sluice::cli

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/scenario_job.h"

// Jobs that already wait as a replay begins: they stand in their line, which moves may have
// changed, and each has an age.

namespace sluice::cli {

/// The places in the line by arrival, the oldest job first; of the same age, the one that stands
/// first. Pure.
std::vector<std::size_t> by_arrival(std::span<const ScenarioJob> line);

/// A job that does not stand where it came. Both are places in the line.
struct MovedJob {
  std::size_t job = 0;
  std::size_t after = 0;  ///< The job of the same queue that it stands behind; itself: it is first.
};

/// The moves, in their order, after which jobs that came in the order of `by_arrival` stand as in
/// the line: as few as possible, in an order that leaves room for each. `queues`: that of each job.
/// Pure.
std::vector<MovedJob> moves_into_line(std::span<const ScenarioJob> line,
                                      std::span<const std::string> queues);

}  // namespace sluice::cli

#pragma once

#include <span>
#include <vector>

#include "config/scenario.h"

namespace sluice::cli {

/// How busy the machine was from some time on, until the next.
struct BusyFrom {
  Duration at{0};
  double cores = 0;  ///< Used by anyone.
  Bytes others;      ///< Memory that is not of jobs.
};

/// The mean use of a job from its start to its end.
struct UsedFrom {
  Duration from{0}, until{0};
  double cores = 0;
};

/// What the machine did besides the jobs, until `end`: the cores that were busy and that no job
/// used, and the memory of others, as neighbours of a modelled host. `busy` is in order of time.
/// Means over five seconds to a minute; neighbours in time that hardly differ are one. Pure.
std::vector<ScenarioNeighbour> neighbours_of(std::span<const BusyFrom> busy,
                                             std::span<const UsedFrom> jobs, Duration end);

}  // namespace sluice::cli

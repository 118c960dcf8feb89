#pragma once

#include <span>
#include <vector>

#include "config/scenario.h"

namespace sluice::cli {

/// How busy the machine was from some time on, until the next.
struct BusyFrom {
  Duration at{0};
  double cores = 0;    ///< Used by anyone.
  double waiting = 0;  ///< Tasks of anyone that waited for a CPU.
  Bytes others;        ///< Memory that is not of jobs.
};

/// A job from its start to its end.
struct UsedFrom {
  Duration from{0}, until{0};
  double cores = 0;  ///< Mean of its tasks that ran or waited for a CPU.
};

/// What the machine had to do besides the jobs, until `end`: the tasks that ran or waited and were
/// of no job, and the memory of others, as neighbours of a modelled host. `busy` is in order of
/// time. Means over five seconds to a minute; neighbours in time that hardly differ are one. Pure.
std::vector<ScenarioNeighbour> neighbours_of(std::span<const BusyFrom> busy,
                                             std::span<const UsedFrom> jobs, Duration end);

}  // namespace sluice::cli

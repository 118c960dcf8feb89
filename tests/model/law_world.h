#pragma once

#include "../governor/host_simulation.h"
#include "executor.h"
#include "sluice/options.h"
#include "sluice/units.h"

namespace sluice::model {

/// The jobs of `scenario` under a law, through the governor's own core and on the host of `model/`,
/// in steps of `step`. With `Learning::history` the costs are learned and memory is reserved, as in
/// the daemon; the three kinds of jobs are three keys.
Figures simulate_core(Law law, ExecutorOptions::Learning learning, const Scenario& scenario,
                      Duration step);

/// What no scheduling of the jobs of `scenario` can exceed, in jobs an hour: mean needs of the
/// first 20,000 jobs of the stream against what the machine has.
struct Bounds {
  double cpu = 0;     ///< Core seconds.
  double memory = 0;  ///< Byte seconds that they hold, of all memory but the system's.
  double peaks = 0;   ///< The same if each job holds its peak from start to end.
};
Bounds bounds_of(const Scenario& scenario);

/// The mean over the seeds 1 to `seeds`.
Figures simulate_core_seeds(Law law, ExecutorOptions::Learning learning, Scenario scenario,
                            Duration step, int seeds);

}  // namespace sluice::model

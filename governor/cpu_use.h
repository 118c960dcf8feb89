#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "governor/law/knee_state.h"
#include "sluice/machine_use.h"
#include "sluice/status.h"
#include "sluice/usage.h"

// What the CPUs are used for: by whom, and how much the running jobs need.

namespace sluice {

/// The ramp of a job whose history gives none: time until it has shown what it needs.
inline constexpr Duration kRamp = std::chrono::seconds(1);

/// Takes in a reading of the machine's counters. Samples shorter than half a second of CPU time are
/// left for the next: the kernel counts in ticks of 10 ms.
void observe_use(CoreState& core, UseCounters counters);

/// Takes in what a running job has used.
void observe_demand(CoreState& core, RunningJob& job, const JobUsage& usage, TimePoint now);

/// Whether a job has run for less than its ramp, and so has not shown what it needs.
bool is_in_ramp(const RunningJob& job, TimePoint now);

/// Cores of the phases that are due (see `due_cores`); 0 if none is, or the profile is unknown.
double due_now(const RunningJob& job, TimePoint now);

/// What one job needs, in cores. The use of an unmeasured job counts as the neighbours'
/// after its ramp.
double demand_of(const CoreState& core, const RunningJob& job, TimePoint now);

/// The sum of a figure over the running jobs, where children are part of what their parent shows.
template <typename Figure>
double sum_over_running(const CoreState& core, Figure figure) {
  double sum = 0;
  if (core.running.permits().nested() == 0) {
    for (const RunningJob& job : core.running) {
      if (job.in_use) sum += figure(job);
    }
    return sum;
  }
  std::vector<double> below(core.running.size());
  for (const std::uint32_t slot : core.running.children_first()) {
    const double whole = std::max(figure(core.running[slot]), below[slot]);
    const auto parent = core.running.permits().parent(slot);
    (parent ? below[*parent] : sum) += whole;
  }
  return sum;
}

/// What the running jobs need, in cores.
double demand_of_all(const CoreState& core, TimePoint now);

bool cpus_are_measured(const CoreState& core, TimePoint now);

/// The CPUs there are: as last sampled, else as counted until a second reading can be compared with
/// the first. nullopt if they are not measured.
std::optional<double> known_cpus(const CoreState& core, TimePoint now);

/// Cores that others use: the mean of the last second, since jobs are measured at other times than
/// the machine.
double neighbours_of(const CoreState& core);

/// The input of the law; `next` is the cost of the job that waits next, 0 if none does.
KneeInput knee_input(CoreState& core, Points next, TimePoint now);

/// Whether a red sensor counts. The load average remembers a minute and counts tasks that wait for
/// a disk or in vfork, too: under `knee`, where CPUs are measured, it counts only at the knee, and,
/// where the kernel counts tasks, only while as many run or wait for a CPU now as would keep it
/// red.
bool sensor_counts(const CoreState& core, const KnownSensor& sensor, TimePoint now);

/// nullopt if the CPUs are not measured.
std::optional<CpuStatus> cpu_status(const CoreState& core, TimePoint now);

}  // namespace sluice

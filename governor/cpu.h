#pragma once

#include <optional>
#include <string_view>

#include "governor/core_state.h"
#include "governor/law/knee_state.h"
#include "sluice/machine_use.h"
#include "sluice/prediction.h"
#include "sluice/refusal.h"
#include "sluice/status.h"
#include "sluice/usage.h"

// What the CPUs are used for: by whom, how much the running jobs need, and what fits beside them.
// Everything except `observe_use` and the status acts under `law: knee` only.

namespace sluice {

/// The binding of a refusal for the window where the CPUs have no room, whatever the size.
inline constexpr std::string_view kCpuBinding = "cpu";
/// The same where they will have no room in a later phase of the job.
inline constexpr std::string_view kCpuLaterBinding = "cpu_later";
/// The same where enough jobs run already that may compute later, nobody knows when.
inline constexpr std::string_view kCpuLatentBinding = "cpu_latent";

/// Takes in a reading of the machine's counters. Samples shorter than half a second of CPU time are
/// left for the next: the kernel counts in ticks of 10 ms.
void observe_use(CoreState& core, UseCounters counters);

/// Takes in what a running job has used.
void observe_demand(CoreState& core, RunningJob& job, const JobUsage& usage, TimePoint now);

/// Notes what is expected of a job that starts.
void expect_demand(CoreState& core, RunningJob& job, TimePoint now);

/// Costs are demand: a measured job without a cost of its own holds what it is expected to need
/// until its ramp is over, and then what it needs, at least one point (or `cost.minimum`) and at
/// most all CPUs. Usage may exceed the size: the excess is the queue.
void reprice_running(CoreState& core, TimePoint now);

/// Another law takes over: jobs hold what they were admitted with.
void end_repricing(CoreState& core);

/// Whether a refusal for the window is by the CPUs, and not by its size.
bool is_of_cpus(const Refusal& refused);

/// Notes what the window thread needs to know: whether jobs wait for the size, which growth would
/// help, or for memory. A wait for the CPUs is neither.
void note_refusal(CoreState& core, const Refusal& refused);

/// Feed-forward: why the CPUs have no room for a job; nullopt if they have, or are not measured.
///
///   Σ running + neighbours + the job <= 1.25 x CPUs
///
/// Running jobs count with their demand, and during their ramp, or while a phase of their profile
/// is due, with what is expected of them if that is more; neighbours and, while something runs, the
/// job count as half of the CPUs at most. Whatever the window: two hundred sleepers that end leave
/// no room for twenty compilers.
///
/// In the mean over each later phase of the job the same must hold, by the profiles of those that
/// run, without the quarter: more than the CPUs can do in a phase is late for the next. A job that
/// does next to nothing at first needs room in its later phases only. And of jobs without a profile
/// that run below what they may need later, as far as anybody knows, at most 8 x CPUs cores may be
/// missing; a job counts in full in its first minute, and then with a minute / its age: who has
/// waited for long will hardly end it in the next moment.
///
/// What nobody knows starts as its siblings do, the running jobs of its user and program: if three
/// or more are past their ramp and all of them sleep, as many at once as these count as asleep.
std::optional<Refusal> cpu_shortage(const CoreState& core, const PendingJob& job,
                                    const Prediction& expected, TimePoint now);

/// The input of the law; `next` is the cost of the job that waits next, 0 if none does.
KneeInput knee_input(CoreState& core, Points next, TimePoint now);

/// Whether a red sensor counts: under `knee` the load average, which also counts tasks that wait
/// for a disk or in vfork, only while the CPUs are busy or tasks wait for them.
bool counts(const CoreState& core, std::string_view sensor, TimePoint now);

/// nullopt if the CPUs are not measured.
std::optional<CpuStatus> cpu_status(const CoreState& core, TimePoint now);

/// Whether the running jobs need less than half of the CPUs; false if these are not measured.
bool is_below_half(const CoreState& core, TimePoint now);

/// Notes whether the machine is at its knee by our own jobs, and whether jobs wait for a machine
/// that has no room; see `Status::short_of_capacity`.
void note_capacity(CoreState& core, TimePoint now);
bool is_short_of_capacity(const CoreState& core, TimePoint now);

}  // namespace sluice

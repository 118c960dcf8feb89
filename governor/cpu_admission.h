#pragma once

#include <optional>
#include <string_view>

#include "governor/core_state.h"
#include "sluice/prediction.h"
#include "sluice/refusal.h"

// Feed-forward: whether the CPUs have room for a job, by what the running ones need and are
// expected to need. It acts under `law: knee` only.

namespace sluice {

/// The binding of a refusal for the window where the CPUs have no room, whatever the size.
inline constexpr std::string_view kCpuBinding = "cpu";
/// The same where they will have no room in a later phase of the job.
inline constexpr std::string_view kCpuLaterBinding = "cpu_later";
/// The same where enough jobs run already that may compute later, at an unknown time.
inline constexpr std::string_view kCpuLatentBinding = "cpu_latent";

/// Whether the CPUs, not the window's size, are the reason for a refusal for the window.
bool is_cpu_shortage(const Refusal& refused);

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
/// that run below what they may need later, as far as is known, at most 8 x CPUs cores may be
/// missing. A job counts in full in its first minute, and then with a minute / its age: a job that
/// has been idle for long is unlikely to become busy soon.
///
/// A job of unknown need starts as its siblings do, the running jobs of its user and program: if
/// three or more are past their ramp and all of them sleep, as many at once as these count as
/// asleep.
std::optional<Refusal> cpu_shortage(const CoreState& core, const PendingJob& job,
                                    const Prediction& expected, TimePoint now);

/// Notes what is expected of a job that starts.
void expect_demand(CoreState& core, RunningJob& job, TimePoint now);

}  // namespace sluice

#pragma once

#include <optional>

#include "governor/memory/reservation.h"
#include "sluice/memory_profile.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice {

// What a job will hold, and when. Pure; times are of a run that never waits for a CPU, see
// `unimpeded`.

/// How far a job is, and what it holds.
struct MemoryProgress {
  Duration at{0};
  double held = 0;  ///< Bytes.
};

/// What a job is expected to hold in a time to come, in bytes and bytes squared.
struct LaterNeed {
  double mean = 0, variance = 0;
};

/// The most that a job is expected to hold from `from` to `until` after now, by those of its
/// earlier runs that were at least as long. With x(t) what a run holds at time t, 0 after its end,
/// and S(t) the part of the runs that have not ended:
///
///   mean = max over t of  E x(t) / S(now)     second moment = E x²(t) / S(now)
///
/// A job still running at t holds at least what it holds now: memory is given back at the end. A
/// time counts from a twentieth before to a twentieth after it: a run may be faster, or slower. All
/// zeros after the last end. nullopt if the job has outlasted all but two of the runs: nobody knows
/// how it goes on.
std::optional<LaterNeed> need_between(const MemoryProfile& profile, const MemoryProgress& progress,
                                      Duration from, Duration until);

/// What a job that has not begun is expected to hold in one of its phases.
LaterNeed need_in(const MemoryProfile& profile, const MemoryPhase& phase);

/// What the brake keeps for a running job: the most that it is expected to hold at any one time
/// from now on, by its earlier runs if they say so, else its expected peak.
ExpectedPeak expected_from_now(double z, const Prediction& expected,
                               const std::optional<MemoryUse>& use, TimePoint now);

}  // namespace sluice

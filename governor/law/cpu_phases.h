#pragma once

#include <chrono>

#include "sluice/cpu_profile.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice {

// What a job whose profile is known will need, and when. Pure; times are of a run that never waits
// for a CPU, see `unimpeded`.

/// What begins later than this after the start of a run is a later phase.
inline constexpr Duration kLater = std::chrono::seconds(1);

/// The most that is needed in the first second; 0 if the profile is empty.
double cores_at_start(const CpuProfile& profile);

/// Whether a job does next to nothing at first, for a second or longer.
inline bool begins_asleep(const Prediction& expected) {
  const bool is_known = expected.profile.count > 0;
  return expected.sleeps || (is_known && cores_at_start(expected.profile) < kAsleepCores);
}

/// The cores of the phases that are due at `progress` and that the job's demand cannot show yet:
/// from a little before they begin (half a second, or a twentieth of the time until then) to a
/// little after (a second, or a tenth). 0 if none is due.
double due_cores(const CpuProfile& profile, Duration progress);

/// The mean cores from one time to another; 0 after the end of the profile.
double mean_cores(const CpuProfile& profile, Duration from, Duration until);

}  // namespace sluice

#pragma once

#include <deque>
#include <optional>

#include "governor/law/machine_use.h"
#include "sluice/units.h"

namespace sluice {

/// What `law: knee` sees besides the sensors. Demands are in cores.
struct KneeInput {
  std::optional<MachineUse> use;  ///< Since the last call; nullopt if there is no sample.
  double demand = 0;              ///< Of the running jobs.
  double neighbours = 0;          ///< Used by others.
  double next = 0;                ///< Expected of the job that waits next; 0 if none waits.
  Duration ramp{0};               ///< Of the job admitted last.
};

/// The state of `law: knee` between two calls.
struct KneeState {
  /// When CPU time was last measured, when the window last grew and last yielded, and since when
  /// less than half of it has been in use.
  std::optional<TimePoint> measured, grown, yielded, unused_since;
  std::deque<MachineUse> recent;  ///< Of the last three seconds, oldest first.
  /// The most in use of late, and when: a job that ended a moment ago does not show that less is
  /// needed.
  Points usage_peak;
  std::optional<TimePoint> usage_peak_at;
  // Whether growth still brings more I/O through (BBR's full pipe):
  double cores_before = 0, sectors_before = 0;  ///< Per second, when it last grew.
  int fruitless = 0;                            ///< Doublings in a row that gained nothing.
};

}  // namespace sluice

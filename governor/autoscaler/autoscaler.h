#pragma once

#include <optional>
#include <string>
#include <vector>

#include "governor/autoscaler/scale_decision.h"
#include "sluice/autoscale.h"
#include "sluice/units.h"

namespace sluice {

/// An executor's window while all was well; see `AutoscaleState::windows`.
struct RememberedWindow {
  std::string id;
  double points = 0;  ///< Rises at once with its window, falls smoothed.

  bool operator==(const RememberedWindow&) const = default;
};

/// The autoscaler's state between two decisions. Plain values: written to a file and read back, it
/// continues as if never stopped. Times are on the clock of `now`; code that stores them must
/// convert them to times that survive a restart.
struct AutoscaleState {
  TimePoint started;                      ///< When it started.
  std::optional<TimePoint> last_change;   ///< When executors were last added or removed.
  std::optional<double> mean;             ///< window: the smoothed mean window, in points.
  TimePoint mean_at;                      ///< When `mean` was last updated.
  std::vector<RememberedWindow> windows;  ///< window: per executor, in any order.
  std::optional<TimePoint> shrunk_since;  ///< window: when windows shrank everywhere at once.
  std::optional<TimePoint> full_at;       ///< window: when an executor was last full.

  bool operator==(const AutoscaleState&) const = default;
};

/// A decision, and the state to keep.
struct ScaleStep {
  ScaleDecision decision;
  AutoscaleState state;
};

/// The state of an autoscaler that starts now.
AutoscaleState start_autoscaler(TimePoint now);

/// Decides how many executors there should be. Pure: the same arguments give the same result, and
/// all times may be shifted together. `options` must have passed `check_autoscale`. Call it every
/// `interval`; calling it more often gains nothing.
///
/// The returned state does not count the decision as carried out: the caller reports that with
/// `after_change`, even if only part of it succeeded. A failed part is decided again next time.
ScaleStep decide(const Observation& observation, AutoscaleState state,
                 const AutoscaleOptions& options, TimePoint now);

/// The state after executors were added or removed at `now`.
AutoscaleState after_change(AutoscaleState state, TimePoint now);

}  // namespace sluice

#pragma once

#include <optional>
#include <vector>

#include "governor/autoscaler/autoscaler.h"

namespace sluice {

/// Updates the state from the current windows: their smoothed mean, the size each had, and whether
/// they shrank everywhere at once.
///
///   window                        shrunk_since
///     |-----------.                  |
///     |            '-.               v    while more than half stay below 9/10 of what they
///     |               '---.          |    were, the mean keeps its value and nothing is added:
///     |  - - - - 3/4 - - - '---------'    all of them may wait for one slow dependency
///     +------------------------------------> time
///
/// A single executor is not "everywhere". After `lookback` the small windows become the normal
/// ones.
AutoscaleState remember_windows(AutoscaleState state, const Observation& observation,
                                const AutoscaleOptions& options, TimePoint now);

/// The mean window of the running executors, in points; nullopt if no window is known.
std::optional<double> mean_window(const std::vector<Executor>& executors);

}  // namespace sluice

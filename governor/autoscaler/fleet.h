#pragma once

#include "governor/autoscaler/autoscaler.h"

namespace sluice {

/// What both rule sets ask of an observation, counted once.
struct Fleet {
  ScaleNumbers numbers;
  int there = 0;          ///< All executors, those that drain included: what `max` is about.
  int usual_slots = 1;    ///< Of a new executor.
  bool unseen = false;    ///< There are executors, and not one that runs was seen.
  bool waits = false;     ///< A job waits that is not held.
  Points unseen_room{0};  ///< What blind executors may have taken since they were seen.

  std::int64_t free_slots() const { return numbers.slots - numbers.used; }
  bool is_stable() const { return numbers.stable_in <= Duration{0}; }
};

/// Linear, without an allocation per executor.
Fleet count_fleet(const Observation& observation, const AutoscaleState& state,
                  const AutoscaleOptions& options, TimePoint now);

/// Folds a look at the windows into the state: their smoothed mean, what each was, and whether they
/// shrank everywhere at once.
///
///   window                        shrunk_since
///     |-----------.                  |
///     |            '-.               v    while more than half stay below 9/10 of what they
///     |               '---.          |    were, the mean keeps its value and nothing is bought:
///     |  - - - - 3/4 - - - '---------'    all of them may wait for one slow dependency
///     +------------------------------------> time
///
/// One executor alone is no "everywhere". After `lookback` the small windows are the usual ones.
AutoscaleState remember_windows(AutoscaleState state, const Observation& observation,
                                const AutoscaleOptions& options, TimePoint now);

/// The mean window of the executors that run, in points; none where no window is known.
std::optional<double> mean_window(const std::vector<Executor>& executors);

/// Executors that may go now, first to go first, at most `most`: idle, seen, running, not the
/// master, and far enough into their billing period. Most time past in it first, then the highest
/// name. `due` is how many there are without `most`.
struct Removal {
  std::vector<std::string> ids;
  int due = 0;
};
Removal choose_removal(const std::vector<Executor>& executors, const AutoscaleOptions& options,
                       int most);

/// Whether an executor does nothing and is far enough into its billing period.
bool is_due(const Executor& executor, const AutoscaleOptions& options);

}  // namespace sluice

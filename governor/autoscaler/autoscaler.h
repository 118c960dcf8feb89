#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/autoscale.h"
#include "sluice/units.h"

namespace sluice {

/// What an executor's window was while all was well; see `AutoscaleState::windows`.
struct WindowMemory {
  std::string id;
  double points = 0;  ///< Rises at once with its window, falls smoothed.

  bool operator==(const WindowMemory&) const = default;
};

/// What the autoscaler remembers between two looks. Plain values: kept in a file and read again,
/// it goes on as if it had never stopped. Times are of the clock that `now` is of; who keeps them
/// in a file turns them into times that survive a restart.
struct AutoscaleState {
  TimePoint started;                      ///< When it began to look.
  std::optional<TimePoint> last_change;   ///< When executors were last added or removed.
  std::optional<double> mean;             ///< window: the smoothed mean window, in points.
  TimePoint mean_at;                      ///< When `mean` was last updated.
  std::vector<WindowMemory> windows;      ///< window: of each executor, in any order.
  std::optional<TimePoint> shrunk_since;  ///< window: when windows shrank everywhere at once.

  bool operator==(const AutoscaleState&) const = default;
};

/// Why it is done, or why nothing is. Each is the first rule that said so, in the order of
/// `decide`.
enum class ScaleReason {
  blind,       ///< What it takes to decide was not seen.
  at_max,      ///< More would be good, but there are `max`.
  not_stable,  ///< Less than `stabilise` since the last change or the start.
  below_min,   ///< Adds: there are fewer than `min`.
  no_slots,    ///< Adds one at once: something waits, and nobody can take it.
  fits,        ///< What waits fits what is free (window: what there is holds the demand).
  young,       ///< Nothing has waited longer than `wait` yet.
  waited,      ///< Adds: what waits does not fit, and has waited long enough.
  demand,      ///< window, adds: the demand needs more windows.
  runaway,     ///< window: more are asked for, but windows shrank everywhere at once.
  at_min,      ///< There are `min`: nothing is removed.
  none_due,    ///< Nothing idle is far enough into its billing period.
  idle,        ///< Removes what is idle.
  done,        ///< Removes the idle master, the last one.
};

/// "not_stable"
std::string_view name_of(ScaleReason reason);

/// The numbers behind a decision. Slots and points are those of executors that are not draining.
struct ScaleNumbers {
  int executors = 0;  ///< That are not draining.
  int draining = 0, booting = 0, blind = 0;
  int min = 0, max = 0;
  std::int64_t slots = 0, used = 0;
  std::int64_t queued = 0;      ///< Slots that jobs wait for, held ones apart.
  Duration waited{0};           ///< Of the job that waits longest.
  Duration stable_in{0};        ///< Until a change may follow the last one; 0: now.
  int need = 0;                 ///< How many more would be right; `add` and `max` are not applied.
  int due = 0;                  ///< How many might be removed; see `remove`.
  Points usage{0}, pending{0};  ///< window: held by running jobs, and asked for by waiting ones.
  double mean = 0;              ///< window: what one executor counts as, in points.
  double mean_now = 0;          ///< window: the mean of the windows at this moment; 0: none.
  int desired = 0;              ///< window: executors there should be, within `min` and `max`.

  bool operator==(const ScaleNumbers&) const = default;
};

/// What to do now: add so many, or remove these, or nothing; never both.
struct ScaleDecision {
  int add = 0;
  std::vector<std::string> remove;  ///< Ids, first to go first.
  ScaleReason reason = ScaleReason::blind;
  ScaleNumbers numbers;

  bool changes() const { return add > 0 || !remove.empty(); }
  bool operator==(const ScaleDecision&) const = default;
};

/// A decision, and what is to be remembered of this look.
struct ScaleStep {
  ScaleDecision decision;
  AutoscaleState state;
};

/// The state of an autoscaler that starts now.
AutoscaleState start_autoscaler(TimePoint now);

/// How many executors there should be. Pure: the same arguments give the same answer, and all times
/// may be shifted together. `options` have passed `check_autoscale`. To be called every `interval`;
/// calling it more often buys nothing more.
///
/// The state it gives does not count the decision as done: whoever has carried it out, wholly or in
/// part, says so with `after_change`. What failed is decided again at the next look.
ScaleStep decide(const Observation& observation, AutoscaleState state,
                 const AutoscaleOptions& options, TimePoint now);

/// The state after executors were added or removed at `now`.
AutoscaleState after_change(AutoscaleState state, TimePoint now);

/// Names for new executors: the highest number in use and one, and so on, with at least three
/// digits and with the text in front of it. node001, node003 -> node004; nothing -> 001.
std::vector<std::string> name_executors(const std::vector<Executor>& there, int count);

/// Whether a name comes before another where numbers in it count as numbers: node999, node1000.
bool is_before_in_natural_order(std::string_view a, std::string_view b);

/// Why, for people, with the numbers that decided it: "it fits: 1 slot asked for, 8 free".
std::string why(const ScaleDecision& decision);

/// One sentence for people: what is done or why nothing is, with the numbers that decided it.
std::string describe(const ScaleDecision& decision);

}  // namespace sluice

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/autoscale.h"
#include "sluice/units.h"

namespace sluice {

/// An executor's window while all was well; see `AutoscaleState::windows`.
struct WindowMemory {
  std::string id;
  double points = 0;  ///< Rises at once with its window, falls smoothed.

  bool operator==(const WindowMemory&) const = default;
};

/// The autoscaler's state between two decisions. Plain values: written to a file and read back, it
/// continues as if never stopped. Times are on the clock of `now`; code that stores them must
/// convert them to times that survive a restart.
struct AutoscaleState {
  TimePoint started;                      ///< When it started.
  std::optional<TimePoint> last_change;   ///< When executors were last added or removed.
  std::optional<double> mean;             ///< window: the smoothed mean window, in points.
  TimePoint mean_at;                      ///< When `mean` was last updated.
  std::vector<WindowMemory> windows;      ///< window: per executor, in any order.
  std::optional<TimePoint> shrunk_since;  ///< window: when windows shrank everywhere at once.
  std::optional<TimePoint> full_at;       ///< window: when an executor was last full.

  bool operator==(const AutoscaleState&) const = default;
};

/// Why the decision was made: the first rule that applied, in the order of `decide`.
enum class ScaleReason {
  blind,       ///< The necessary data could not be observed.
  at_max,      ///< More would help, but there are `max`.
  not_stable,  ///< Less than `stabilise` since the last change or the start.
  below_min,   ///< Adds: there are fewer than `min`.
  no_slots,    ///< Adds one at once: jobs wait and no executor has slots.
  fits,        ///< Waiting jobs fit the free slots (window: the executors hold the demand).
  young,       ///< No job has waited longer than `wait` yet.
  waited,      ///< Adds: waiting jobs do not fit, and waited long enough.
  demand,      ///< window, adds: the demand needs more windows.
  runaway,     ///< window: more are needed, but windows shrank everywhere at once.
  at_min,      ///< There are `min`: nothing is removed.
  none_due,    ///< No idle executor is far enough into its billing period.
  idle,        ///< Removes idle executors.
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
  std::int64_t queued = 0;      ///< Slots that jobs wait for, without held jobs.
  Duration waited{0};           ///< Of the job that has waited longest.
  Duration stable_in{0};        ///< Until the next change is allowed; 0: now.
  int need = 0;                 ///< How many more are needed, before `add` and `max`.
  int due = 0;                  ///< How many may be removed; see `remove`.
  Points usage{0}, pending{0};  ///< window: held by running jobs, and needed by pending ones.
  double mean = 0;              ///< window: points that one executor counts as.
  double mean_now = 0;          ///< window: the current mean of the windows; 0 if unknown.
  int desired = 0;              ///< window: target number, within `min` and `max`.
  bool by_full = false;         ///< window: all executors say whether they are full.
  int full = 0;                 ///< Executors that are.

  bool operator==(const ScaleNumbers&) const = default;
};

/// The action to take now: add this many, or remove these, or nothing; never both.
struct ScaleDecision {
  int add = 0;
  std::vector<std::string> remove;  ///< Ids, first to go first.
  ScaleReason reason = ScaleReason::blind;
  ScaleNumbers numbers;

  bool changes() const { return add > 0 || !remove.empty(); }
  bool operator==(const ScaleDecision&) const = default;
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
/// `after_change`, even if only part of it succeeded. What failed is decided again next time.
ScaleStep decide(const Observation& observation, AutoscaleState state,
                 const AutoscaleOptions& options, TimePoint now);

/// The state after executors were added or removed at `now`.
AutoscaleState after_change(AutoscaleState state, TimePoint now);

/// Names for new executors: the highest number in use plus one, and so on, with at least three
/// digits and the same prefix. node001, node003 -> node004; none -> 001.
std::vector<std::string> name_executors(const std::vector<Executor>& there, int count);

/// Whether `a` sorts before `b` with digits compared as numbers: node999, node1000.
bool is_before_in_natural_order(std::string_view a, std::string_view b);

/// The reason, for people, with the deciding numbers: "it fits: 1 slot asked for, 8 free".
std::string why(const ScaleDecision& decision);

/// One sentence for people: the action or why there is none, with the deciding numbers.
std::string describe(const ScaleDecision& decision);

}  // namespace sluice

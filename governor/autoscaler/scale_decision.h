#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/units.h"

namespace sluice {

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
  none_due,    ///< No idle executor that drains is far enough into its billing period.
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
  int undrainable = 0;          ///< How many more might be, but lately refused to drain.
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

/// The reason, for people, with the deciding numbers: "it fits: 1 slot asked for, 8 free".
std::string why(const ScaleDecision& decision);

/// One sentence for people: the action or why there is none, with the deciding numbers.
std::string describe(const ScaleDecision& decision);

}  // namespace sluice

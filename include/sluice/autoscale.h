#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// The rules that size the fleet: StarCluster's, which count slots and waiting time, or ours, which
/// divide the demand in points by the capacity of one window.
enum class ScaleRules { starcluster, window };

/// Maximum number of slots of one executor.
inline constexpr int kMostSlots = 1'000'000;

/// How a fleet is sized. An unset field takes the default named beside it; a default that
/// contradicts a given value yields to it.
struct AutoscaleOptions {
  ScaleRules rules = ScaleRules::window;
  std::optional<int> min;  ///< Fewest executors; 1, or 0 with `kill_master`. 0 to 100,000.
  std::optional<int> max;  ///< Most executors. Required; `min` to 100,000, at least 1.
  int add = 1;             ///< Most executors added at once; 1 to 100,000.
  Duration interval = std::chrono::seconds(60);    ///< Time between two decisions; 10ms to 300s.
  Duration wait = std::chrono::seconds(900);       ///< starcluster: add only for a job that has
                                                   ///< waited longer; 0 to 7 days.
  Duration stabilise = std::chrono::seconds(180);  ///< No change for this long after a change or
                                                   ///< the start; 0 to 1 day.
  std::optional<Duration> kill_after;  ///< Remove only executors this far into a billing period;
                                       ///< 45min, or 3/4 of a shorter period. 0 to 30 days.
  Duration billing = std::chrono::minutes(60);  ///< Billing period of a machine; 0: billed by the
                                                ///< second, and uptime counts in full.
  Duration lookback = std::chrono::hours(3);  ///< Span of averages over finished jobs, and how long
                                              ///< a shrunken window is compared with its earlier
                                              ///< size; 1min to 7 days.
  bool kill_master = false;       ///< Remove even the last executor, if it is the idle master.
  std::optional<int> slots_each;  ///< starcluster: slots of a new executor; the most frequent
                                  ///< number seen, the larger on a tie. 1 to
                                  ///< kMostSlots.
  double target = 0.8;            ///< window: target utilisation of a window; (0, 1].
  Duration smooth = std::chrono::minutes(10);  ///< window: time constant of the mean window; 0: no
                                               ///< smoothing. No executor is removed for this
                                               ///< long after one was full. At most 1 day.
  Points floor{10};                            ///< window: lower bound of the mean; >= 1.

  int least() const;           ///< `min`, or its default.
  int most() const;            ///< `max`; 0 if unset, which `check_autoscale` rejects.
  Duration due_after() const;  ///< `kill_after`, or its default.

  bool operator==(const AutoscaleOptions&) const = default;
};

/// An invalid option: the field, such as "max", and a sentence that begins with it.
struct AutoscaleProblem {
  std::string field, message;
};

/// The first field out of range or missing, in the order of the struct; nullopt if all are valid.
std::optional<AutoscaleProblem> check_autoscale(const AutoscaleOptions& options);

/// Whether an executor has room for more work, in its own words. Under `law: knee` its size follows
/// its use, so that use / size says little; executors under other laws count as `unknown`.
enum class Fullness {
  unknown,
  has_room,
  full,  ///< Work waits and the machine is used up, or it takes no work because it is.
  red,   ///< The same because a sensor is red.
};

/// One executor as observed. Negative numbers count as 0.
struct Executor {
  std::string id;         ///< Unique name.
  bool master = false;    ///< Runs services that the others need; removed only under `kill_master`.
  int slots = 0;          ///< Jobs it can run at once.
  int used = 0;           ///< Jobs it runs.
  Duration up{0};         ///< Time since it was started, as billed.
  bool booting = false;   ///< Ordered or starting: counts, but takes no work yet. Unknown slots or
                          ///< window count as those of a typical executor.
  bool draining = false;  ///< Takes no more work and is about to go: counts against `max` only.
  bool blind = false;     ///< Not seen this time; the other fields are from the last observation.
                          ///< Never removed, and no other executor is removed because of it.
  Points window{0};       ///< Size of its window; 0 if unknown.
  Points usage{0};        ///< Points held by the jobs it runs.
  Fullness fullness = Fullness::unknown;
  bool undrainable = false;  ///< Lately refused to drain: counts like the others, but others are
                             ///< removed in its place.

  bool operator==(const Executor&) const = default;
};

/// One pending job anywhere in the fleet.
struct QueuedJob {
  int slots = 1;       ///< Slots it needs; at least 1.
  Duration waited{0};  ///< Negative (its clock is ahead) counts as 0.
  bool held = false;   ///< Held, frozen or in a paused queue: ignored.
  Points cost{0};

  bool operator==(const QueuedJob&) const = default;
};

/// A snapshot of a fleet.
struct Observation {
  bool blind = false;  ///< The executors or the queue could not be listed: change nothing.
  std::vector<Executor> executors;  ///< In any order; includes ordered ones that are not up yet.
  std::vector<QueuedJob> queued;    ///< In any order.

  bool operator==(const Observation&) const = default;
};

}  // namespace sluice

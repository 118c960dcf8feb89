#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// Which rules say how many executors there should be: StarCluster's, which count slots and
/// waiting time, or ours, which divide the demand in points by what one window holds.
enum class ScaleRules { starcluster, window };

/// How a fleet is sized. Fields without a value take the default named beside them; a default
/// never contradicts a given value but gives way to it.
struct AutoscaleOptions {
  ScaleRules rules = ScaleRules::window;
  std::optional<int> min;  ///< Never fewer executors; 1, or 0 with `kill_master`. 0 to 100,000.
  std::optional<int> max;  ///< Never more executors. Required; `min` to 100,000, at least 1.
  int add = 1;             ///< Most executors added at once; 1 to 100,000.
  Duration interval = std::chrono::seconds(60);    ///< Between two decisions; 10ms to 300s.
  Duration wait = std::chrono::seconds(900);       ///< starcluster: add only for a job that has
                                                   ///< waited longer; 0 to 7 days.
  Duration stabilise = std::chrono::seconds(180);  ///< No change so long after a change, or after
                                                   ///< the start; 0 to 1 day.
  std::optional<Duration> kill_after;  ///< Remove only what is so far into a billing period; 45min,
                                       ///< or 3/4 of a shorter period. 0 to 30 days.
  Duration billing = std::chrono::minutes(60);  ///< What a started machine is paid for; 0: by the
                                                ///< second, and times up are not reduced.
  Duration lookback = std::chrono::hours(3);    ///< How far back averages of ended jobs go, and
                                                ///< how long shrunken windows are held against
                                                ///< what they were; 1min to 7 days.
  bool kill_master = false;       ///< The last executor goes too, if it is the idle master.
  std::optional<int> slots_each;  ///< starcluster: slots of a new executor; the most frequent
                                  ///< number seen, the larger on a tie. 1 to 1,000,000.
  double target = 0.8;            ///< window: part of a window that is to be in use; (0, 1].
  Duration smooth = std::chrono::minutes(10);  ///< window: time constant of the mean window; 0:
                                               ///< not smoothed. At most 1 day.
  Points floor{10};                            ///< window: the mean never counts as less; >= 1.

  int least() const;           ///< `min`, or its default.
  int most() const;            ///< `max`; 0 where it is missing, which `check_autoscale` refuses.
  Duration due_after() const;  ///< `kill_after`, or its default.

  bool operator==(const AutoscaleOptions&) const = default;
};

/// What is wrong with options: the field, "max", and a sentence that begins with it.
struct AutoscaleProblem {
  std::string field, message;
};

/// The first field out of range or missing, in the order of the struct; none: all is well.
std::optional<AutoscaleProblem> check_autoscale(const AutoscaleOptions& options);

/// One executor as it is seen. Numbers below 0 count as 0.
struct Executor {
  std::string id;         ///< Its name; each once.
  bool master = false;    ///< It runs what the others need, and is only removed by `kill_master`.
  int slots = 0;          ///< Jobs it can run at once.
  int used = 0;           ///< Jobs it runs.
  Duration up{0};         ///< Since it was started, as it is billed.
  bool booting = false;   ///< Ordered, or starting: it counts, and takes no work yet. Where its
                          ///< slots or window are not known they count as those of a usual one.
  bool draining = false;  ///< It takes no more work and is about to go: it still counts against
                          ///< `max`, and for nothing else.
  bool blind = false;  ///< It was not seen this time: the rest is what was seen last. It is never
                       ///< removed, nor is anything else on the strength of its being there.
  Points window{0};    ///< Size of its window; 0: not known.
  Points usage{0};     ///< Points held by the jobs it runs.

  bool operator==(const Executor&) const = default;
};

/// One job that waits somewhere in the fleet.
struct QueuedJob {
  int slots = 1;       ///< It needs; at least 1.
  Duration waited{0};  ///< Below 0 (its clock is ahead) counts as 0.
  bool held = false;   ///< Held, frozen or in a paused queue: it counts for nothing.
  Points cost{0};

  bool operator==(const QueuedJob&) const = default;
};

/// A fleet at one instant.
struct Observation {
  bool blind = false;  ///< The list of executors, or the queue, could not be seen: nothing is done.
  std::vector<Executor> executors;  ///< In any order; those ordered but not there yet included.
  std::vector<QueuedJob> queued;    ///< In any order.

  bool operator==(const Observation&) const = default;
};

}  // namespace sluice

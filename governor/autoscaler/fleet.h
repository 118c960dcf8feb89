#pragma once

#include "governor/autoscaler/autoscaler.h"

namespace sluice {

/// Figures of an observation that both rule sets need, computed once.
struct Fleet {
  ScaleNumbers numbers;
  int there = 0;          ///< All executors, draining ones included; `max` limits these.
  int usual_slots = 1;    ///< Of a new executor.
  bool unseen = false;    ///< There are executors, and no running one was seen.
  bool waits = false;     ///< A job that is not held waits.
  Points unseen_room{0};  ///< Points blind executors may have filled since last seen.
  int in_use = 0;         ///< Executors seen with a job.
  int red = 0;            ///< Of the full ones, those with a red sensor.
  Points full_usage{0};   ///< Points in use on the full ones.
  int full_in_use = 0;    ///< Full ones with points in use.

  std::int64_t free_slots() const { return numbers.slots - numbers.used; }
  bool is_stable() const { return numbers.stable_in <= Duration{0}; }
};

/// Linear; no allocation per executor.
Fleet count_fleet(const Observation& observation, const AutoscaleState& state,
                  const AutoscaleOptions& options, TimePoint now);

/// Whether every executor that takes part says if it is full, and at least one was ever seen.
bool all_report_fullness(const std::vector<Executor>& executors);

/// Executors that may be removed now, first to go first, at most `most`: idle, seen, running, not
/// the master, not undrainable, and far enough into their billing period. Longest into it first,
/// then highest name. `due` is their number without `most`; `undrainable` is the number of those
/// that only this keeps.
struct Removal {
  std::vector<std::string> ids;
  int due = 0;
  int undrainable = 0;
};
Removal choose_removal(const std::vector<Executor>& executors, const AutoscaleOptions& options,
                       int most);

/// Whether an executor is idle and far enough into its billing period.
bool is_due(const Executor& executor, const AutoscaleOptions& options);

}  // namespace sluice

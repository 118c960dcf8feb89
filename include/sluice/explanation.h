#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/job.h"
#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// One level's contribution to a job's SPV, and the running job that causes it.
struct LevelWeight {
  std::string level;
  int tenths = 0;
  JobId by;  ///< The first running job with this value; 0 if no job adds any.
};

/// The current state of a manager that a job needs. For a highlander: 1 of 1.
struct NeededResource {
  std::string manager;
  std::int64_t needs = 0, free = 0, total = 0;
  bool is_short = false;
};

/// Why one job waits, in full.
struct Explanation {
  JobView job;
  /// For a pending job, every reason that keeps it from starting, each sufficient alone; the first
  /// is the refusal of `job`.
  std::vector<Refusal> blockers;
  int base_tenths = 0;
  std::vector<LevelWeight> levels;  ///< In configuration order; empty if contention is off.
  JobId global_lock_by;  ///< A running job that holds the global lock or, if this job wants that
                         ///< lock, the first running job; 0 if there is none.
  int spv_tenths = 0;    ///< base + the levels; base + 15 with a global lock.
  std::int64_t age_ticks = 0;
  std::optional<int> aging_ticks;      ///< K; nullopt: jobs do not age.
  double weight = 0;                   ///< SPV x max(0, 1 - age / K); prints exactly.
  std::optional<TimePoint> saturates;  ///< When its weight becomes 0; nullopt: never.
  std::vector<NeededResource> resources;
  std::vector<JobId> certain_conflicts;  ///< Running jobs it would certainly block on.
};

/// The whole explanation as lines for people, without the job's name: why it waits, its position,
/// its weight with the cause at each level, its age, each manager it needs. For a running job: how
/// long it has run and what it holds. Pure.
std::vector<std::string> to_lines(const Explanation& explanation, TimePoint now,
                                  const JobNames& names = {});

}  // namespace sluice

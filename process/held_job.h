#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "process/cgroup/job_group.h"
#include "process/cpu_delay.h"
#include "process/job_processes.h"
#include "process/runner.h"
#include "process/spawn.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// The environment variable by which processes of a job without a cgroup are known.
inline constexpr const char* kJobMarker = "SLUICE_RUNNER";

/// A job of a Runner from its start until all of it has ended.
struct HeldJob {
  JobProcesses processes{0};
  std::unique_ptr<JobGroup> group;  ///< None: it is held by what /proc shows.
  std::string marker;               ///< "SLUICE_RUNNER=…" of all it starts, unless they clear it.
  bool in_place = false;            ///< In this process's own process group.
  TimePoint began;
  Duration suspended_for{0};
  std::optional<TimePoint> suspended_at;
  bool was_killed_by_us = false;
  bool ends_at_oom_kill = false;  ///< The kernel kills one process of it; the rest must not go on.
  std::optional<std::uint64_t> host_oom_kills;  ///< When it began, where its group counts none.
  std::optional<int> status;  ///< Of the process it began with, once that has ended.
  JobUsage usage;             ///< As of the last look.
  CpuDelay delay;
  /// The largest resident set of this process when the job began, which exec carries over into the
  /// rusage of its processes.
  Bytes peak_at_start;
  int looks = 0;

  bool counts_oom_kills() const { return group && group->measures_memory(); }
  bool is_measured_by_group() const { return counts_oom_kills() && group->measures_cpu(); }

  /// Time in which it was not suspended.
  Duration wall(TimePoint now) const;

  /// Looks at what its group accounts.
  void measure_group();

  /// Takes over how far its processes were kept off the CPUs.
  void estimate_delay();

  /// What is told of it when nothing of it is left.
  RunEnd end(pid_t leader);

 private:
  PeakEvidence evidence() const;
  bool looks_oom_killed() const;
};

/// Starts the command in the group; without one, with `marker` in its environment.
Spawned spawn_job(const JobGroup* group, const Command& command, const std::string& marker);

}  // namespace sluice

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/cgroup/job_group.h"
#include "process/child/cpu_delay.h"
#include "process/child/job_processes.h"
#include "process/child/spawn.h"
#include "process/runner.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// The environment variable that marks processes of a job without a cgroup.
inline constexpr const char* kJobMarker = "SLUICE_RUNNER";

/// A job of a Runner, from its start until its last process has ended.
struct ManagedJob {
  JobProcesses processes{0};
  std::unique_ptr<JobGroup> group;  ///< Null if the job is tracked through /proc.
  std::string marker;  ///< "SLUICE_RUNNER=…" of every process in the job, unless one clears it.
  bool in_place = false;  ///< Runs in this process's own process group.
  TimePoint began;
  Duration suspended_for{0};
  std::optional<TimePoint> suspended_at;
  bool was_killed_by_us = false;
  bool ends_at_oom_kill = false;  ///< The kernel kills one process only; the rest must not go on.
  std::optional<std::uint64_t> host_oom_kills;  ///< At its start, if its group counts none.
  std::optional<int> status;                    ///< Of its first process, once that has ended.
  std::optional<LeftProcesses> left;            ///< Once that is known: see `RunEnd`.
  JobUsage usage;                               ///< At the last measurement.
  CpuDelay delay;
  /// This process's largest resident set when the job began; exec carries it over into the rusage
  /// of the job's processes.
  Bytes peak_at_start;
  int sample_count = 0;
  /// Whether it may have used anything since the measurement before: its group's CPU time has grown
  /// or its memory has changed, or it has no group that counts both.
  bool has_run = true;
  // Without a group that counts both:
  std::vector<ProcessFacts> alive;  ///< At the last measurement.
  ResidentMemory resident;

  bool counts_oom_kills() const { return group && group->measures_memory(); }
  bool is_measured_by_group() const { return counts_oom_kills() && group->measures_cpu(); }

  /// Time not suspended.
  Duration wall(TimePoint now) const;

  /// Reads what its group uses now. While that stands still, the memory is not read again.
  void measure_group();

  /// Updates how much its processes were delayed on the CPUs.
  void estimate_delay();

  /// The report once no process of the job is left.
  RunEnd end(pid_t leader);

 private:
  void measure_ended_group();
  PeakEvidence evidence() const;
  bool seems_oom_killed() const;

  std::optional<Duration> group_cpu_;  ///< At the last measurement.
  std::optional<Bytes> group_charged_;
};

/// Starts the command in the group; without a group, with `marker` in its environment. It writes
/// its number to `number`, if any.
Spawned spawn_job(const JobGroup* group, const Command& command, const std::string& marker,
                  std::atomic<pid_t>* number);

}  // namespace sluice

#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/process_list.h"
#include "base/process_table.h"
#include "process/managed_job.h"
#include "sluice/units.h"

namespace sluice {

using ManagedJobs = std::map<pid_t, ManagedJob>;

/// Finds the processes of jobs, and stops and kills them: through the job's group if it has one,
/// else through /proc.
class JobSignaller {
 public:
  /// Children that this process has already belong to no job: a process that made them and then
  /// became this program by exec still needs them.
  explicit JobSignaller(ManagedJobs& jobs);

  /// Sets the child of this process that belongs to no job.
  void set_guard(pid_t guard) { guard_ = guard; }

  /// Measures the CPU time and the memory of the job's processes.
  void measure_processes(ManagedJob& job);

  /// Samples how much its processes are delayed on the CPUs.
  void sample_delay(ManagedJob& job);

  std::vector<pid_t> processes_of(ManagedJob& job);

  /// The processes that are left now that its command has exited.
  LeftProcesses left_of(ManagedJob& job);

  /// Stops the whole job, including processes that it starts meanwhile.
  void stop(ManagedJob& job);
  void resume(ManagedJob& job);
  /// Stops the job first, so that no part of it sees another part end.
  void kill(ManagedJob& job);

  /// Whether a job whose first process has ended has no processes left. Walks /proc only if some
  /// may be left. Without a cgroup, its process group gets the signal, or none if that is 0.
  bool is_gone(pid_t leader, ManagedJob& job, int signal);

  /// The job of a reaped child of this process; null if it belonged to none.
  ManagedJob* owner_of_ended(pid_t pid);

 private:
  bool is_own(pid_t pid) const {
    return jobs_.contains(pid) || pid == guard_ || foreign_.contains(pid);
  }
  void attribute_orphans();
  ManagedJob* owner_of(const ProcessFacts& orphan);
  const std::vector<ProcessFacts>& poll();
  std::vector<pid_t> going(ManagedJob& job);

  ManagedJobs& jobs_;
  pid_t guard_ = 0;
  std::set<pid_t> foreign_;
  ProcessList processes_;
  std::vector<ProcessFacts> sample_;
  std::optional<TimePoint> sampled_at_;
};

}  // namespace sluice

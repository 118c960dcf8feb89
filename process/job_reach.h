#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/process_table.h"
#include "process/held_job.h"
#include "sluice/units.h"

namespace sluice {

using HeldJobs = std::map<pid_t, HeldJob>;

/// Finds the processes of jobs, and stops and kills them: by the job's group where it has one, else
/// by what /proc shows.
class JobReach {
 public:
  /// What children this process has already are nobody's: who made them and then became this
  /// program by exec has a use for them.
  explicit JobReach(HeldJobs& jobs);

  /// A child of this process that is no job's.
  void set_guard(pid_t guard) { guard_ = guard; }

  /// Looks at the CPU time and the memory of the job's processes.
  void measure_processes(HeldJob& job);

  /// Looks at how far its processes are kept off the CPUs.
  void look_at_delay(HeldJob& job);

  std::vector<pid_t> processes_of(HeldJob& job);

  /// Stops all of it, and what it starts while it is being stopped.
  void stop(HeldJob& job);
  void let_go_on(HeldJob& job);
  /// Stops it first, so that no half of it sees the other end.
  void kill(HeldJob& job);

  /// Whether nothing of a job is left whose first process has ended. Costs no walk of /proc where
  /// nothing is.
  bool is_gone(pid_t leader, HeldJob& job);

  /// The job that a child of this process was part of that has been waited for; null if none.
  HeldJob* owner_of_ended(pid_t pid);

 private:
  bool is_own(pid_t pid) const {
    return jobs_.contains(pid) || pid == guard_ || foreign_.contains(pid);
  }
  void attribute_orphans();
  HeldJob* owner_of(const ProcessFacts& orphan);
  const std::vector<ProcessFacts>& look();
  std::vector<pid_t> going(HeldJob& job);

  HeldJobs& jobs_;
  pid_t guard_ = 0;
  std::set<pid_t> foreign_;
  std::vector<ProcessFacts> look_;
  std::optional<TimePoint> looked_at_;
};

}  // namespace sluice

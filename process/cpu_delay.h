#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// What the scheduler tells of one process: its time on a CPU, and how long it could have run but
/// had to wait for one.
struct SchedulerTimes {
  Duration ran{0}, waited{0};
};

/// The text of /proc/PID/schedstat: both in nanoseconds, then a count of time slices.
std::optional<SchedulerTimes> parse_schedstat(std::string_view text);

/// How far other work keeps a job off the CPUs. CPU time over wall time says what a job got; on a
/// full machine that is less than what it wanted, and a job that passed for small because it had
/// to share would let still more start beside it. Told by the first thread of every process seen.
class CpuDelay {
 public:
  /// Looks at the job's processes that there are now.
  void look(const std::vector<pid_t>& processes);
  void note(std::map<pid_t, SchedulerTimes> now);

  /// Time waited for each unit of CPU time; 0 while nothing has run.
  double per_cpu_time() const;

 private:
  std::map<pid_t, SchedulerTimes> seen_;  ///< At the last look.
  SchedulerTimes together_;               ///< Of all that were ever seen.
};

}  // namespace sluice

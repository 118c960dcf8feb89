#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {

/// The scheduler's figures for one process: its time on a CPU, and its time runnable but waiting
/// for one.
struct SchedulerTimes {
  Duration ran{0}, waited{0};
};

/// Parses /proc/PID/schedstat: both times in nanoseconds, then a count of time slices.
std::optional<SchedulerTimes> parse_schedstat(std::string_view text);

/// How much other work delays a job on the CPUs. CPU time over wall time says what a job got; on a
/// full machine that is less than it wanted, and a job that looks small because it had to share
/// would let even more start beside it. Samples the first thread of every process seen.
class CpuDelay {
 public:
  /// Samples the job's current processes.
  void sample(const std::vector<pid_t>& processes);
  /// The same, without reading those again that do not run and have used no tick since the last
  /// call: what they ran and waited is counted with their next tick.
  void follow(const std::vector<ProcessFacts>& processes);
  void update(std::map<pid_t, SchedulerTimes> now);

  /// Estimated wait for a CPU during `cpu` of CPU time, by what the processes seen waited. A short
  /// sample counts for less: one that had waited 3 ms at its fork and run 2 ms says little about
  /// another 90 ms.
  Duration of_part(Duration cpu) const;
  /// The same of a job that has used `cpu` in all: what was seen, and the part for its other
  /// threads and processes.
  Duration of_job(Duration cpu) const;
  /// Of all processes ever seen.
  const SchedulerTimes& together() const { return together_; }

 private:
  std::map<pid_t, SchedulerTimes> seen_;  ///< In the last sample.
  std::map<pid_t, ProcessFacts> facts_;   ///< Of the same, if it had them.
  SchedulerTimes together_;               ///< Of all processes ever seen.
};

}  // namespace sluice

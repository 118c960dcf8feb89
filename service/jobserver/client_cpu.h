#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <vector>

#include "base/process_table.h"
#include "process/child/cpu_delay.h"
#include "process/child/tree_cpu.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice::jobserver {

/// What the processes of a jobserver's client used between two polls.
struct ClientUse {
  Duration span{0};   ///< Between the polls.
  Duration cpu{0};    ///< User and system time.
  Duration delay{0};  ///< Estimated time in which they waited for a CPU.
};

/// The delay of processes that used `cpu`, from the scheduler's figures for those that could be
/// sampled: in proportion, because most of a build's processes end between two samples, but no more
/// than `tasks` can have waited in `span`. Pure.
Duration estimated_delay(Duration cpu, const SchedulerTimes& sampled, Duration span,
                         std::size_t tasks);

/// Adds to the usage of a token its part of what the client used, if `parts` jobs did it. Pure.
void add_part(JobUsage& usage, const ClientUse& use, std::size_t parts);

/// The CPU time of a client with all its descendants, from poll to poll. Not thread-safe.
class ClientCpu {
 public:
  /// `client`: its process now; what it has used before does not count.
  ClientCpu(pid_t client, TimePoint now);

  /// `members`: the client and its descendants, with those that nobody has waited for; `times`: of
  /// those alive.
  ClientUse sample(const std::vector<ProcessFacts>& members, std::map<pid_t, SchedulerTimes> times,
                   TimePoint now);

 private:
  TreeCpu tree_;
  CpuDelay delay_;
  TimePoint sampled_;
};

}  // namespace sluice::jobserver

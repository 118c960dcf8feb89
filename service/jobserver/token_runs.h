#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process_table.h"
#include "process/child/cpu_delay.h"
#include "sluice/usage.h"

namespace sluice::jobserver {

/// One process of a jobserver's client, at one poll.
struct ClientProcess {
  ProcessFacts facts;
  std::string name;  ///< As in /proc/PID/comm.
  ProcessMemory memory;
  std::optional<SchedulerTimes> times;  ///< nullopt if they were not read.
};

/// The client and all its descendants among `all` processes, with those that have ended and nobody
/// has waited for. Pure.
std::vector<ProcessFacts> members_of(const std::vector<ProcessFacts>& all, pid_t client);

/// Those of the members that are alive, as /proc shows them now.
std::vector<ClientProcess> read_client(const std::vector<ProcessFacts>& members);

/// Reads how long each of them ran and waited for a CPU.
void read_times(std::vector<ClientProcess>& processes);

/// The times that were read, by process.
std::map<pid_t, SchedulerTimes> times_of(const std::vector<ClientProcess>& processes);

/// Memory of the processes together: the sum of what each has alone, plus the largest shared part
/// of any one.
Bytes memory_of_client(const std::vector<ClientProcess>& processes);

/// Whether a program of this name runs jobs for which it takes tokens: make, ninja, cargo.
bool starts_jobs(std::string_view name);

/// What the work of one token uses, learned by observation. Each child of a program that hands out
/// jobs, with its descendants, is one run. A child that itself calls such a program (a recursive
/// make, a link that calls make for its parts) is not a run, but its children are. Pure.
class TokenRuns {
 public:
  struct Run {
    std::uint64_t number = 0;
    JobUsage usage;
    pid_t process = 0;          ///< Its first process.
    std::uint64_t started = 0;  ///< Start of that process: ticks since boot.
  };
  struct Sample {
    std::vector<Run> alive, ended;
  };

  /// Numbers runs from `first` on.
  explicit TokenRuns(std::uint64_t first) : next_(first) {}

  /// Takes the processes currently below `client`; `since_boot` is the time on the clock that dates
  /// processes. If `processes` is empty, the client has ended.
  Sample sample(const std::vector<ClientProcess>& processes, pid_t client, Duration since_boot,
                Duration tick);

 private:
  using Identity = std::pair<pid_t, std::uint64_t>;

  std::uint64_t next_;
  std::map<Identity, Run> runs_;
  std::map<Identity, CpuDelay> delays_;  ///< Of the same runs.
};

}  // namespace sluice::jobserver

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process_table.h"
#include "sluice/usage.h"

namespace sluice {

/// One process of a jobserver's client, at one look.
struct ClientProcess {
  ProcessFacts facts;
  std::string name;  ///< As in /proc/PID/comm.
  ProcessMemory memory;
};

/// The client and all its descendants, as /proc shows them now. `all` is a fresh table of all
/// processes.
std::vector<ClientProcess> read_client(const std::vector<ProcessFacts>& all, pid_t client);

/// What they have in memory together: what is their own, and the largest share of any one in what
/// they have in common.
Bytes memory_of_client(const std::vector<ClientProcess>& processes);

/// Whether a program of this name runs jobs for which it takes tokens: make, ninja, cargo.
bool hands_out_jobs(std::string_view name);

/// What one token's worth of work uses, learned by watching: each child of a program that hands out
/// jobs, with all that it starts, is one run; a child that calls such a program itself (a recursive
/// make, a link that calls make for its parts) is none, but its children are. Pure.
class TokenRuns {
 public:
  struct Run {
    std::uint64_t number = 0;
    JobUsage usage;
    pid_t process = 0;          ///< That it began with.
    std::uint64_t started = 0;  ///< Of that process: ticks since boot.
  };
  struct Look {
    std::vector<Run> alive, ended;
  };

  /// Runs are numbered from `first` on.
  explicit TokenRuns(std::uint64_t first) : next_(first) {}

  /// What is to be seen now below `client`; `since_boot` is the time on the clock that processes
  /// are dated by. Empty `processes`: the client has ended.
  Look look(const std::vector<ClientProcess>& processes, pid_t client, Duration since_boot,
            Duration tick);

 private:
  using Identity = std::pair<pid_t, std::uint64_t>;

  std::uint64_t next_;
  std::map<Identity, Run> runs_;
};

}  // namespace sluice

#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {

/// The processes of one job according to /proc and rusage: its first process, those in its process
/// group and session, their descendants, and any process seen to be one of these before it was
/// orphaned.
class JobProcesses {
 public:
  explicit JobProcesses(pid_t leader) : leader_(leader) {}

  /// Whether the process belongs to the job: it is the leader, is in the leader's process group or
  /// session, or was seen to belong to the job before.
  bool knows(const ProcessFacts& process) const;

  /// The same by number, for a process that has ended.
  bool has_seen(pid_t pid) const { return seen_.contains(pid); }

  /// Adds an orphan known by other means to belong to the job.
  void adopt(const ProcessFacts& orphan) { seen_[orphan.pid] = orphan.started; }

  /// The processes in `all` that belong to the job and are alive; remembers them.
  std::vector<ProcessFacts> alive(const std::vector<ProcessFacts>& all);

  /// Accounts for a process of the job that was reaped.
  void note_ended(const rusage& usage);

  /// Its processes that are alive, and the CPU time of these, those not waited for and those
  /// reaped.
  struct Sample {
    std::vector<ProcessFacts> alive;
    Duration cpu{0};
  };
  Sample sample(const std::vector<ProcessFacts>& all);
  Duration cpu_of_ended() const { return ended_cpu_; }

  /// Bytes read from and written to block devices by the reaped processes.
  Bytes read() const { return read_; }
  Bytes written() const { return written_; }

  /// The largest resident set of any single reaped process.
  Bytes largest() const { return largest_; }

 private:
  std::vector<ProcessFacts> members(const std::vector<ProcessFacts>& all);

  pid_t leader_;
  std::map<pid_t, std::uint64_t> seen_;  ///< pid to start time: pids are reused.
  Duration ended_cpu_{0};
  Bytes read_, written_, largest_;
};

/// The memory of the processes together: the private memory of each, plus the shared memory of the
/// one that has most of it, since the others mostly share the same pages.
Bytes memory_of(const std::vector<ProcessFacts>& processes);

/// The same for processes that are read many times: what /proc says of one is read again only once
/// the number of its resident pages has changed. Not thread-safe.
class ResidentMemory {
 public:
  Bytes of(const std::vector<ProcessFacts>& processes);

 private:
  struct Known {
    std::uint64_t started = 0, pages = 0;
    std::optional<ProcessMemory> memory;
  };
  std::map<pid_t, Known> known_;  ///< Of the last call.
};

/// The same, but counts pages shared since a fork only once: slow, see `read_anonymous_part`. A
/// process that cannot be read counts with its private memory.
Bytes memory_without_sharing(const std::vector<ProcessFacts>& processes);

/// Sends the signal to each.
void signal_each(const std::vector<ProcessFacts>& processes, int number);

}  // namespace sluice

#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {

/// The processes of one job as far as /proc and rusage tell of them: the one it began with, those
/// of its process group and session, their descendants, and whatever was seen to be one of these
/// before it lost its parent.
class JobProcesses {
 public:
  explicit JobProcesses(pid_t leader) : leader_(leader) {}

  /// Whether it was ever seen to belong to the job.
  bool knows(const ProcessFacts& process) const;

  /// Whether a process of that number was; for one that has ended.
  bool has_seen(pid_t pid) const { return seen_.contains(pid); }

  /// An orphan that is known by other means to belong to the job.
  void adopt(const ProcessFacts& orphan) { seen_[orphan.pid] = orphan.started; }

  /// Those of `all` that belong to the job and are alive; they are remembered.
  std::vector<ProcessFacts> alive(const std::vector<ProcessFacts>& all);

  /// One of its processes was waited for.
  void note_ended(const rusage& usage);

  /// CPU time of those that were waited for and of those in `all`.
  Duration cpu(const std::vector<ProcessFacts>& all);
  Duration cpu_of_ended() const { return ended_cpu_; }

  /// From and to block devices, of those that were waited for.
  Bytes read() const { return read_; }
  Bytes written() const { return written_; }

  /// The largest resident set that any single one had that was waited for.
  Bytes largest() const { return largest_; }

 private:
  std::vector<ProcessFacts> members(const std::vector<ProcessFacts>& all);

  pid_t leader_;
  std::map<pid_t, std::uint64_t> seen_;  ///< When each began: numbers are used again.
  Duration ended_cpu_{0};
  Bytes read_, written_, largest_;
};

/// What the processes have in memory together: what is their own, and what the one with the most
/// has shared, for the others mostly share the same.
Bytes memory_of(const std::vector<ProcessFacts>& processes);

/// The same without counting pages twice that they share since a fork: slow, see
/// `read_anonymous_part`. A process that cannot be asked counts by what is its own.
Bytes memory_without_sharing(const std::vector<ProcessFacts>& processes);

/// Sends the signal to each.
void signal_each(const std::vector<ProcessFacts>& processes, int number);

}  // namespace sluice

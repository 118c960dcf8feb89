#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/process_list.h"
#include "base/process_table.h"
#include "process/child/cpu_delay.h"
#include "process/child/job_processes.h"
#include "process/child/tree_cpu.h"
#include "service/jobs/lease_cpu.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice {

/// For each of `roots`, itself and the processes whose nearest ancestor among the roots it is.
/// Orphans belong to the root that leads their process group, or else their session. Each process
/// belongs to at most one root. Ended processes that nobody has waited for are among them. Pure.
std::map<pid_t, std::vector<ProcessFacts>> trees_of(const std::vector<ProcessFacts>& processes,
                                                    const std::set<pid_t>& roots);

/// Memory that the processes of leases hold according to the kernel, each with its descendants, and
/// the CPU time that they use. The memory of a process within several trees counts in the
/// innermost, its CPU time in that and up to seven outer ones. Jobs of one process share its
/// memory, and those of them that are admitted its CPU time.
///
/// Resident sizes count pages shared since a fork once in each process; only a walk over the page
/// tables tells them apart. So the resident sizes of a tree of several processes count only as far
/// as such a walk has confirmed them, and all trees are walked if together they seem to hold more
/// than is in use. Not thread-safe.
class LeaseTrees {
 public:
  /// `in_use`: reads the memory levels; if empty, the sum of all trees has no bound.
  explicit LeaseTrees(MemoryMeter in_use) : in_use_(std::move(in_use)) {}

  /// A job that is known keeps what was read of it: its holder may name another process.
  void begin(JobId job, pid_t process, TimePoint now);
  /// The job is admitted: what its processes used while it waited does not count. Only the first
  /// call counts; a job that is not known is ignored.
  void admitted(JobId job, TimePoint now);
  void forget_job(JobId job);
  bool empty() const { return jobs_.empty(); }

  /// As of the last poll, at most 50 ms old unless polls take long; a job that began after it
  /// counts with its process alone. nullopt if the job has no process or it cannot be seen from
  /// here.
  std::optional<Bytes> held(JobId job, TimePoint now);

  /// As of the same poll; `LeaseCpu::unseen` says what may be missing. nullopt if the job has no
  /// process or none of its processes was ever seen.
  std::optional<LeaseCpu> cpu(JobId job, TimePoint now);

 private:
  /// A job and what it has used so far.
  struct Job {
    pid_t process = 0;
    TimePoint began;  ///< Of the reading.
    LeaseCpu used;    ///< Without `span`.
    bool is_admitted = false;
  };

  /// The CPU time of one root with all that is below it, other roots too.
  struct Cpu {
    std::uint64_t started = 0;  ///< Of the root; 0 if it could not be seen at the begin.
    TreeCpu tree;
    CpuDelay delay;
    bool seen = false;
  };

  /// One root at one poll.
  struct CpuSample {
    TreeCpu::Growth growth;
    bool stopped = false;
  };

  /// Result of a walk over the page tables of a tree.
  struct Walk {
    Bytes resident;   ///< Sum of resident sizes,
    Bytes held;       ///< and what the tree really held.
    TimePoint until;  ///< Until then the ratio of the two is assumed constant.
    Bytes most;       ///< Largest `held` of all walks.
  };

  void read_cpu_of(pid_t process);
  void sample(TimePoint now);
  void sample_memory(const std::map<pid_t, std::vector<ProcessFacts>>& trees, TimePoint now);
  void sample_cpu(const std::vector<ProcessFacts>& all,
                  const std::map<pid_t, std::vector<ProcessFacts>>& trees, TimePoint now);
  void charge(const std::map<pid_t, CpuSample>& samples, TimePoint now);
  bool is_confirmed(pid_t root, const std::vector<ProcessFacts>& tree, Bytes resident) const;
  Bytes without_sharing(pid_t root, const std::vector<ProcessFacts>& tree, Bytes resident,
                        TimePoint now);
  double together() const;
  double most_in_use(TimePoint now) const;

  MemoryMeter in_use_;
  std::unordered_map<std::uint64_t, Job> jobs_;
  std::map<pid_t, std::uint64_t> roots_;      ///< With the number of jobs that name each.
  std::map<pid_t, Bytes> held_;               ///< As of the last poll, of those that could be seen.
  std::map<pid_t, ResidentMemory> resident_;  ///< Of the same.
  std::map<pid_t, Walk> walks_;               ///< Of roots whose trees were walked.
  std::map<pid_t, Cpu> cpu_;                  ///< Of every root.
  ProcessList processes_;
  TimePoint sampled_;  ///< Time of the last poll.
  TimePoint poll_at_;  ///< Time of the next poll.
};

}  // namespace sluice

#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/process_table.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice {

/// Of each of `roots`, the processes whose nearest ancestor among the roots it is, itself included;
/// those that have lost their ancestors go by their group, else their session, if a root leads it.
/// Each process belongs to at most one root. Pure.
std::map<pid_t, std::vector<ProcessFacts>> trees_of(const std::vector<ProcessFacts>& processes,
                                                    const std::set<pid_t>& roots);

/// What the kernel says that the processes of leases hold, each with what has come of it. A process
/// that several trees hold counts in the innermost, and jobs of one process share its tree.
///
/// Resident sizes count pages that processes share since a fork in each of them, and the kernel
/// takes a walk over page tables to tell them apart. So a tree of several processes is taken at its
/// resident sizes only as far as that was confirmed by such a walk, and all trees are walked when
/// together they seem to hold more than is in use. Not thread-safe.
class LeaseTrees {
 public:
  /// `in_use`: reads the levels of memory; empty: there is no bound for all trees together.
  explicit LeaseTrees(MemoryMeter in_use) : in_use_(std::move(in_use)) {}

  void begin(JobId job, pid_t process);
  void over(JobId job);

  /// Of the last look, at most 50 ms old unless looks take long; a job that came after it counts
  /// with its process alone. None: the job has no process, or it cannot be seen from here.
  std::optional<Bytes> held(JobId job, TimePoint now);

 private:
  /// What a walk over the page tables of a tree told.
  struct Walk {
    Bytes resident;   ///< What the tree seemed to hold,
    Bytes held;       ///< and held in truth.
    TimePoint until;  ///< Up to then the ratio of the two is taken for the same.
    Bytes most;       ///< The most that a walk has found the tree to hold.
  };

  void look(TimePoint now);
  bool is_confirmed(pid_t root, const std::vector<ProcessFacts>& tree, Bytes resident) const;
  Bytes without_sharing(pid_t root, const std::vector<ProcessFacts>& tree, Bytes resident,
                        TimePoint now);
  double together() const;
  double most_in_use(TimePoint now) const;

  MemoryMeter in_use_;
  std::unordered_map<std::uint64_t, pid_t> jobs_;
  std::map<pid_t, std::uint64_t> roots_;  ///< And how many jobs name it.
  std::map<pid_t, Bytes> held_;           ///< At the last look, of those that could be seen.
  std::map<pid_t, Walk> walks_;           ///< Of roots whose trees were walked.
  TimePoint look_at_;                     ///< The next one.
};

}  // namespace sluice

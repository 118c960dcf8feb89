#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/non_copyable.h"
#include "process/cgroup/hierarchy.h"
#include "process/cgroup/numbers.h"
#include "process/cgroup/tree.h"
#include "sensors/files/file.h"
#include "sluice/units.h"

namespace sluice {

/// Limits that could not be set.
struct LimitProblem {
  std::string text = {};  ///< Which, and why; empty if all were set.
  int lack = 0;           ///< errno, if one was for lack of descriptors: it may be set later.
};

/// The cgroups of one job, one in each hierarchy in use, and their measurements. A measurement is
/// nullopt if no hierarchy offers it.
class JobGroup : NonCopyable {
 public:
  /// The group `name` exists in each of `hierarchies`, which must outlive this object.
  JobGroup(const std::vector<GroupHierarchy>& hierarchies, std::string name);
  ~JobGroup();

  /// Opens the cgroup.procs files; a process joins the job by writing itself into all of them. The
  /// caller closes them.
  std::vector<int> open_joins() const;

  /// The open v2 folder to clone a process into; -1 if the process must join other groups as well.
  int open_clone_target() const;

  /// Sets the memory above which the kernel throttles the job (`high`, v2 only) and the memory at
  /// which it kills (`most`): under v2 the whole job, under v1 one process, see
  /// `kills_one_process`.
  LimitProblem limit_memory(std::optional<Bytes> high, std::optional<Bytes> most) const;

  /// Whether the kernel, out of memory, kills one process of the job and lets the rest go on.
  bool kills_one_process() const;

  /// Why the job would stall for ever once throttled: it has no swap and so cannot give up memory.
  /// Empty if it has swap. `host_swap`: swap of the whole host.
  std::string why_it_cannot_swap(Bytes host_swap) const;

  std::optional<Duration> cpu();
  std::optional<Bytes> charged();  ///< Page cache included.
  std::optional<Bytes> working_set();
  std::optional<BlockIo> io();
  std::optional<std::uint64_t> oom_kills();
  std::optional<Bytes> most_charged();  ///< Since the group was made, page cache included.
  std::optional<Bytes> inactive_file();

  bool measures_memory() const { return current_.has_value(); }
  bool measures_cpu() const { return cpu_.has_value(); }

  /// Whether no process of the job is left.
  bool is_empty() const { return processes_in_it().empty(); }
  std::vector<pid_t> processes_in_it() const { return processes_in(holder_); }

  bool can_freeze() const;

  /// Stops all processes at one instant; false if that takes too long: they then stop later.
  bool freeze() const { return freeze_group(holder_); }
  void thaw() const { thaw_group(holder_); }
  void kill() const { kill_group(holder_); }

  /// Removes the groups; call it when no process is left in them.
  void remove();

 private:
  void open_v1(const GroupHierarchy& hierarchy, const std::string& folder);
  void open_v2(const std::string& folder);

  const std::vector<GroupHierarchy>& hierarchies_;
  std::string name_;
  std::vector<std::string> folders_;
  std::string holder_;  ///< The folder whose files freeze and kill the job.
  CgroupVersion memory_version_ = CgroupVersion::v1;
  CgroupVersion cpu_version_ = CgroupVersion::v1;
  CgroupVersion io_version_ = CgroupVersion::v1;
  std::string memory_folder_;
  std::optional<KeptFile> current_, stat_, most_charged_, oom_, cpu_, io_;
};

}  // namespace sluice

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "process/cgroup/hierarchy.h"
#include "process/cgroup/numbers.h"
#include "sensors/file.h"
#include "sluice/units.h"

namespace sluice {

/// The cgroups of one job, one in each hierarchy that is used, and what they measure. What a
/// hierarchy lacks is none.
class JobGroup {
 public:
  /// The group exists as `name` in each of the hierarchies, which outlive this.
  JobGroup(const std::vector<GroupHierarchy>& hierarchies, std::string name);
  ~JobGroup();
  JobGroup(const JobGroup&) = delete;
  JobGroup& operator=(const JobGroup&) = delete;

  /// Open cgroup.procs files that a process writes itself into to belong to the job.
  std::vector<int> open_joins() const;

  /// The folder of v2 that a process is made in, open; -1 where that is not all there is to join.
  int open_birthplace() const;

  /// The least memory at which it is held back (v2 only), and at which the kernel kills: under v2
  /// all of it at once. v1 kills one process; `kills_one_process` says so. Empty, or what could not
  /// be set and why.
  std::string limit_memory(std::optional<Bytes> high, std::optional<Bytes> most) const;

  /// Whether the kernel would end one process of it for lack of memory and let the rest go on.
  bool kills_one_process() const;

  /// Why it would stand still for ever once held back: there is no swap for it, so that it cannot
  /// give up what it has. Empty where there is. `host_swap`: of the whole host.
  std::string why_it_cannot_swap(Bytes host_swap) const;

  std::optional<Duration> cpu();
  std::optional<Bytes> working_set();
  std::optional<BlockIo> io();
  std::optional<std::uint64_t> oom_kills();
  std::optional<Bytes> most_charged();  ///< Since it was made, page cache included.
  std::optional<Bytes> inactive_file();

  bool measures_memory() const { return current_.has_value(); }
  bool measures_cpu() const { return cpu_.has_value(); }

  /// Whether nothing of it runs any more.
  bool is_empty() const { return processes_in_it().empty(); }
  std::vector<pid_t> processes_in_it() const;

  bool can_freeze() const;

  /// Stops all of it at one instant; false where that takes too long: it then comes later.
  bool freeze() const;
  void thaw() const;
  void kill() const;

  /// Removes the groups once nothing runs there.
  void remove();

 private:
  void open_v1(const GroupHierarchy& hierarchy, const std::string& folder);
  void open_v2(const std::string& folder);

  const std::vector<GroupHierarchy>& hierarchies_;
  std::string name_;
  std::vector<std::string> folders_;
  std::string holder_;  ///< The folder that is frozen and killed by.
  CgroupVersion memory_version_ = CgroupVersion::v1;
  CgroupVersion cpu_version_ = CgroupVersion::v1;
  CgroupVersion io_version_ = CgroupVersion::v1;
  std::string memory_folder_;
  std::optional<KeptFile> current_, stat_, most_charged_, oom_, cpu_, io_;
};

}  // namespace sluice

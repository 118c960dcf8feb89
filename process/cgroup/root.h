#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/descriptors.h"
#include "base/non_copyable.h"
#include "process/cgroup/hierarchy.h"
#include "process/cgroup/job_group.h"

namespace sluice {

/// The parent of the jobs' cgroups: `sluice.PID` below the group that this process was started in,
/// in each hierarchy in use, so that every limit above still applies. Under v2 a group that holds
/// processes cannot enable controllers for its children; if this process is alone in its group, it
/// therefore moves into `sluice.PID/self`. The number is for people: a home is owned by the process
/// that holds its lock, and by that process's guard. If the name is taken, the home is
/// `sluice.PID.2` and so on. Homes without an
/// owner are killed and removed first.
class CgroupRoot : NonCopyable {
 public:
  /// `best`: v1 if the host has its controllers there, else v2; both on a hybrid host that needs
  /// both. `v1` and `v2` restrict the choice to one of them.
  enum class Kind { best, v1, v2 };

  explicit CgroupRoot(Kind kind = Kind::best);
  ~CgroupRoot();

  bool is_usable() const { return !hierarchies_.empty(); }

  /// For people: the groups that jobs get, or why they get none; and what the groups do not
  /// measure.
  const std::string& isolation_description() const { return isolation_description_; }

  /// Makes the groups of one more job, or says why it could not.
  std::variant<std::unique_ptr<JobGroup>, std::string> make();

  /// The folder of the home in each hierarchy.
  std::vector<std::string> folders() const;

  /// The descriptors of the locks that own the home, for the guard to keep open.
  std::vector<int> locks() const;

 private:
  void choose(Kind kind, std::vector<GroupHierarchy> found);
  bool take_name(std::vector<std::string>& problems);
  void take_some_name(std::vector<std::string>& problems);
  void settle(std::vector<std::string> problems);
  std::string make_room_in_v2();

  std::string name_;
  std::vector<GroupHierarchy> hierarchies_;
  std::vector<Descriptor> locks_;  ///< Of the homes: see `lock_folder`.
  std::uint64_t last_number_ = 0;
  std::string isolation_description_;
};

}  // namespace sluice

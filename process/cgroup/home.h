#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "process/cgroup/hierarchy.h"
#include "process/cgroup/job_group.h"
#include "process/cgroup/lock.h"

namespace sluice {

/// Where the groups of this process's jobs are made: `sluice.PID` below the group that this
/// process was started in, in each hierarchy that is used, so that every limit above still holds.
/// Under v2 a group with processes cannot give controllers to those below it; where this process is
/// alone in its group it moves into `sluice.PID/self` for that. The number is for people: a home is
/// owned by the process that holds its lock and by its guard. Where the name is taken it is
/// `sluice.PID.2` and so on. What nobody owns any more is ended and removed first.
class GroupHome {
 public:
  /// `best`: v1 where the host has its controllers there, v2 otherwise, and both on a hybrid that
  /// needs both. The others are for a look at one of them.
  enum class Kind { best, v1, v2 };

  explicit GroupHome(Kind kind = Kind::best);
  ~GroupHome();
  GroupHome(const GroupHome&) = delete;
  GroupHome& operator=(const GroupHome&) = delete;

  bool is_usable() const { return !hierarchies_.empty(); }

  /// For people: which groups jobs get, or why none; and what is not measured by them.
  const std::string& means() const { return means_; }

  /// The groups of one more job, or why they could not be made.
  std::variant<std::unique_ptr<JobGroup>, std::string> make();

  /// The home in each hierarchy.
  std::vector<std::string> folders() const;

  /// The descriptors by which it is owned, for the guard to keep.
  std::vector<int> locks() const;

 private:
  void choose(Kind kind, std::vector<GroupHierarchy> found);
  bool take_name(std::vector<std::string>& problems);
  void take_some_name(std::vector<std::string>& problems);
  void settle(std::vector<std::string> problems);
  std::string make_room_in_v2();

  std::string name_;
  std::vector<GroupHierarchy> hierarchies_;
  std::vector<GroupLock> locks_;
  std::uint64_t last_number_ = 0;
  std::string means_;
};

}  // namespace sluice

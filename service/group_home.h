#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "service/group_hierarchy.h"
#include "service/job_group.h"

namespace sluice {

/// Where the groups of this process's jobs are made: `sluice.PID` below the group that this
/// process was started in, in each hierarchy that is used, so that every limit above still holds.
/// Under v2 a group with processes cannot give controllers to those below it; where this process is
/// alone in its group it moves into `sluice.PID/self` for that. What dead processes of this kind
/// have left behind is ended and removed.
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

  /// `sluice.PID` in each hierarchy.
  std::vector<std::string> folders() const;

 private:
  void choose(Kind kind, std::vector<GroupHierarchy> found);
  void settle(std::vector<std::string> problems);
  std::string make_room_in_v2();

  std::string name_;
  std::vector<GroupHierarchy> hierarchies_;
  std::uint64_t last_number_ = 0;
  std::string means_;
};

/// Ends all that runs in a home and removes it; undoes what it took under v2. `folder` is one of
/// `GroupHome::folders`. True when it is gone.
bool remove_home(const std::string& folder);

}  // namespace sluice

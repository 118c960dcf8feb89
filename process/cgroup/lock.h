#pragma once

#include <optional>
#include <string>

namespace sluice {

/// The lock by which a process owns a cgroup: flock(2) on its folder. The kernel gives it back when
/// the last process that holds it has ended, whatever that process is called in which pid
/// namespace. Processes forked from this one hold it too, as long as they keep the descriptor; exec
/// closes it.
class GroupLock {
 public:
  /// None where another process holds it, the group is gone or this user may not list it.
  static std::optional<GroupLock> take(const std::string& folder);

  ~GroupLock();
  GroupLock(GroupLock&& other) noexcept;
  GroupLock& operator=(GroupLock&& other) noexcept;

  int descriptor() const { return descriptor_; }

 private:
  explicit GroupLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace sluice

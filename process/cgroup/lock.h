#pragma once

#include <optional>
#include <string>

namespace sluice {

/// The lock by which a process owns a cgroup: flock(2) on its folder. The kernel releases it when
/// the last process that holds it ends, whatever pid that process has in which pid namespace.
/// Forked children hold it too, as long as they keep the descriptor open; exec closes it.
class GroupLock {
 public:
  /// nullopt if another process holds it, the group is gone or this user may not list it.
  static std::optional<GroupLock> acquire(const std::string& folder);

  ~GroupLock();
  GroupLock(GroupLock&& other) noexcept;
  GroupLock& operator=(GroupLock&& other) noexcept;

  int descriptor() const { return descriptor_; }

 private:
  explicit GroupLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace sluice

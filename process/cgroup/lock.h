#pragma once

#include <optional>
#include <string>

#include "base/descriptors.h"

namespace sluice {

/// The lock by which a process owns a cgroup: flock(2) on its folder. The kernel releases it when
/// the last process that holds it ends, whatever pid that process has in which pid namespace.
/// Forked children hold it too, as long as they keep the descriptor open; exec closes it.
class GroupLock {
 public:
  /// nullopt if another process holds it, the group is gone or this user may not list it.
  static std::optional<GroupLock> acquire(const std::string& folder);

  int descriptor() const { return descriptor_.get(); }

 private:
  explicit GroupLock(int descriptor) : descriptor_(descriptor) {}

  Descriptor descriptor_;
};

}  // namespace sluice

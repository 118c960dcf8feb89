#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A process that waits for a lock on a file.
struct LockWait {
  pid_t process = 0;  ///< 0: the kernel does not name it, as for locks of open files (OFD).
  std::string lock;   ///< That is in its way, in the kernel's words.

  bool operator==(const LockWait&) const = default;
};

/// All waiting processes, by the text of /proc/locks. Leaves out lines that it cannot read. Pure.
std::vector<LockWait> parse_lock_waits(std::string_view locks);

/// The locks that belong to an open file, in the same words, by the text of /proc/PID/fdinfo/FD.
/// Pure.
std::vector<std::string> parse_locks_of_file(std::string_view fdinfo);

}  // namespace sluice

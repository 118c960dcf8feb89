#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "base/non_copyable.h"

namespace sluice {

/// The first processes of all jobs that run, in memory that this process shares with its forks. To
/// write there wakes nobody, as a message for each of many short jobs would. Holds 65,536; more are
/// left out. Not thread-safe, but a fork may read while this process writes.
class SharedLeaders : NonCopyable {
 public:
  SharedLeaders();
  ~SharedLeaders();

  /// Where the next leader writes its own number, so that it is there before it does anything;
  /// nullptr if there is no room.
  std::atomic<pid_t>* next();
  /// After a start: it succeeded, or it failed and what was written there is removed.
  void add(pid_t leader);
  void clear_next();
  void remove(pid_t leader);
  /// Those that are there now, also in a process that was forked before.
  std::vector<pid_t> all() const;

 private:
  std::span<std::atomic<pid_t>> slots_;  ///< 0: free. Empty if there was no memory.
  std::vector<std::size_t> free_;        ///< Those that were used before.
  std::size_t unused_ = 0;               ///< The first that was not.
  std::map<pid_t, std::size_t> slot_of_;
};

}  // namespace sluice

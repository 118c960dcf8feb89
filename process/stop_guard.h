#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>

namespace sluice {

/// A process by its number and the tick since boot in which it began: numbers are used again.
using ProcessIdentity = std::pair<pid_t, std::uint64_t>;

/// SIGCONT, if it is still that process.
void let_go_on(const ProcessIdentity& process);

/// A process that outlives this one only to let go on what this one has stopped: when this process
/// ends, however it ends, what it has told of gets SIGCONT. No child of this process, so that
/// nothing which waits for children meets it. Not thread-safe.
class StopGuard {
 public:
  StopGuard();
  ~StopGuard();  ///< What is stopped still goes on.
  StopGuard(const StopGuard&) = delete;
  StopGuard& operator=(const StopGuard&) = delete;

  /// To be called before it is stopped; whether the guard knows. What it does not know must not
  /// be stopped.
  bool will_stop(const ProcessIdentity& process);
  /// It goes on, or has ended.
  void forget(const ProcessIdentity& process);

 private:
  void start();
  bool tell(const ProcessIdentity& process, int what) const;
  bool tell_all() const;

  std::set<ProcessIdentity> stopped_;
  int socket_ = -1;
};

}  // namespace sluice

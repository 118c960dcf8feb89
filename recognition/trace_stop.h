#pragma once

#include <sys/types.h>

#include <set>

#include "base/non_copyable.h"

namespace sluice {

/// Stops single-threaded processes by ptrace. Neither their parent nor a shell is notified, and
/// when this process ends, however it ends, the kernel resumes them all. Meanwhile signals other
/// than SIGKILL stay pending, stop signals from a terminal too: a process resumed while its group
/// is stopped stops with the group. Make all calls on one thread: it is the tracer.
///
/// Single-threaded, since attaching to a thread waits while another one calls exec, and that exec
/// waits until the tracer has reaped the threads that it ends.
class TraceStop : NonCopyable {
 public:
  ~TraceStop();  ///< Lets all go on.

  /// False, and nothing changed, if it may not be traced, is traced already, has ended or has more
  /// than one thread.
  bool stop(pid_t process);
  /// Whether the process has several threads. One that it was creating when it was stopped runs on,
  /// so the process is not stopped as a whole.
  static bool has_more_threads(pid_t process);
  /// At once, or by `settle` where it has not come to a stop yet.
  void go_on(pid_t process);
  /// Whether `settle` has something to do: call it then every few milliseconds.
  bool is_settling() const { return !leaving_.empty(); }
  /// Lets go on what had not stopped before. Never waits.
  void settle();
  /// Tells the parents of stopped processes that were killed. Call it several times a second.
  void reap_killed();

 private:
  static bool has_left(pid_t process);

  std::set<pid_t> stopped_, leaving_;
};

}  // namespace sluice

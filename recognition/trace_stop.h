#pragma once

#include <sys/types.h>

#include <set>

namespace sluice {

/// Stops processes of one thread by ptrace: nobody is told, neither their parent nor a shell, and
/// when this process ends, however it ends, the kernel lets all of them go on. Signals wait
/// meanwhile, except SIGKILL; also what stops them at a terminal, so that a process that goes on
/// while its group is stopped stops with it. All calls by one thread: it is the tracer.
///
/// Of one thread, since to trace a thread waits for an exec by another one, and that exec waits
/// until the tracer has reaped the threads that it ends.
class TraceStop {
 public:
  TraceStop() = default;
  ~TraceStop();  ///< Lets all go on.
  TraceStop(const TraceStop&) = delete;
  TraceStop& operator=(const TraceStop&) = delete;

  /// False, and nothing changed, if it may not be traced, is traced already, has ended or has more
  /// than one thread.
  bool stop(pid_t process);
  /// A thread that it was just beginning runs on: it is not stopped as a whole.
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

#pragma once

#include <sys/types.h>

#include <map>
#include <set>

namespace sluice {

/// Stops processes with all their threads by ptrace: nobody is told, neither their parent nor a
/// shell, and when this process ends, however it ends, the kernel lets all of them go on. Signals
/// wait meanwhile, except SIGKILL; also what stops them at a terminal, so that a process that goes
/// on while its group is stopped stops with it. All calls by one thread: it is the tracer.
class TraceStop {
 public:
  TraceStop() = default;
  ~TraceStop();  ///< Lets all go on.
  TraceStop(const TraceStop&) = delete;
  TraceStop& operator=(const TraceStop&) = delete;

  /// False, and nothing changed, if it may not be traced, is traced already or has ended.
  bool stop(pid_t process);
  /// At once, or by `settle` where one of its threads has not come to a stop yet.
  void go_on(pid_t process);
  /// Whether `settle` has something to do: call it then every few milliseconds.
  bool is_settling() const { return !leaving_.empty(); }
  /// Lets go on what had not stopped before. Never waits.
  void settle();
  /// Tells the parents of stopped processes that were killed. Call it several times a second.
  void reap_killed();

 private:
  enum class Seized { yes, over, refused };
  static Seized seize(pid_t process, pid_t thread);
  static bool has_left(pid_t thread);

  std::map<pid_t, std::set<pid_t>> stopped_;  ///< Threads by process.
  std::set<pid_t> leaving_;                   ///< Threads.
};

}  // namespace sluice

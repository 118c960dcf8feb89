#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/non_copyable.h"
#include "process/child/resume_on_exit.h"
#include "recognition/process_facts.h"
#include "recognition/trace_stop.h"

namespace sluice {

/// How processes are stopped.
enum class StopMethod {
  best,    ///< By ptrace where it is allowed, else by signals.
  signals  ///< By SIGSTOP alone, as where ptrace is forbidden.
};

/// What decides whether somebody would see that a signal stops a process.
struct StopFacts {
  std::string parent_program;       ///< File name of the program that waits for it.
  bool left_parents_group = false;  ///< It is in another process group than its parent.
};

/// Whether the process that waits for this one would react to its stop by a signal: su and similar
/// programs stop with their child; a shell with job control gives each pipeline its own process
/// group and treats it as stopped when one of its processes is. Pure.
bool is_stop_seen(const StopFacts& facts);

/// Stops single processes and continues them. If this process ends, however it ends, all of them go
/// on. Call it on one thread.
class ProcessStopper : NonCopyable {
 public:
  explicit ProcessStopper(StopMethod method = StopMethod::best) : method_(method) {}
  ~ProcessStopper() = default;  ///< Continues all.

  /// False if it was not stopped: it has a tracer, may not be signalled or has ended; by a signal
  /// also if it is stopped already or the stop would be seen.
  bool hold(pid_t process);
  /// Continues the process and forgets it, even if it seems to have ended. Does nothing if it is
  /// not held; sends no signal if its pid belongs to another process now.
  void go_on(pid_t process);
  /// Call it several times a second while anything is held: see `ResumeOnExit::renew` and
  /// `TraceStop::reap_killed`.
  void poll();
  /// See `TraceStop`.
  bool is_settling() const { return traced_.is_settling(); }
  void settle() { traced_.settle(); }

  /// What has become of a held process.
  enum class State {
    held,
    running,  ///< Another process has continued it, as a shell's `fg` does, or a thread of it runs.
    ending,   ///< A signal waits that ends it.
    gone
  };
  State state_of(pid_t process) const;

  bool holds(pid_t process) const { return held_.contains(process); }
  std::size_t size() const { return held_.size(); }

 private:
  struct Held {
    std::uint64_t started;
    bool is_traced;
  };

  bool hold_by_trace(pid_t process, std::uint64_t started);
  bool hold_by_signal(pid_t process, std::uint64_t started);

  StopMethod method_;
  std::map<pid_t, Held> held_;
  TraceStop traced_;
  std::optional<ResumeOnExit> guard_;  ///< Only forked once a signal is to stop something.
};

}  // namespace sluice

#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/non_copyable.h"
#include "process/child/spawn.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// A command to run as a job.
struct Command : ProcessSettings {
  /// Called with one line for people if the command runs, but not as requested.
  std::function<void(const std::string&)> warn;
  int input = -1, output = -1, error = -1;  ///< Descriptors; -1 for /dev/null.
  /// Whether it gets a cgroup of its own, where permitted. A command expected to end before that
  /// pays off needs none: making and removing a group takes as long as starting a process. With
  /// `memory_high` or `memory_max` it gets one all the same.
  enum class Group { own, unneeded };
  Group group = Group::own;
  /// Limits of its group. If `memory_high` cannot be set or would stall the command, `warn` is
  /// called. At `memory_max` the whole job is killed: under v2 at once by the kernel, under v1 by
  /// the `measure` call that sees that the kernel has killed one of its processes. If `memory_max`
  /// cannot be set, or `memory_high` only for lack of descriptors, the command is not started.
  std::optional<Bytes> memory_high, memory_max;

  /// Runs the command in this process's place instead: with its streams, its other descriptors and
  /// its process group, so that signals from a terminal reach it, and with this signal mask. Must
  /// be the last thing that this process does.
  std::optional<sigset_t> in_place;
  std::function<void(pid_t process)> before_exec;  ///< See `Spawning`.
};

/// Runs that are expected to be shorter need no cgroup of their own.
inline constexpr Duration kShortRun = std::chrono::milliseconds(50);

/// Processes that a command left running when it exited, and that were killed.
struct LeftProcesses {
  static constexpr std::size_t kMostNamed = 5;

  std::size_t count = 0;  ///< Without Sluice's guards and sensors, which end by themselves.
  std::vector<std::string> names;  ///< Of the first `kMostNamed`; printable.
};

/// How a job's command ended.
struct RunEnd {
  pid_t job = 0;
  int status = 0;           ///< As returned by waitpid.
  bool oom_killed = false;  ///< The kernel killed one of its processes for lack of memory.
  JobUsage usage;
  LeftProcesses left = {};

  bool ok() const;
  /// "exit status 1", "killed by signal 9 (Killed)", "killed for lack of memory at 1.9 GiB".
  std::string sentence() const;
  /// "killed 7 processes that the command left running: sleep, tee, a, b, c and 2 more"; empty if
  /// it left none.
  std::string about_left() const;
};

/// Runs commands, each in a process group of its own and, where permitted, in a cgroup of its own
/// below this process's. A job is identified by the pid of its first process; every descendant of
/// that process belongs to the job and ends with it. Not thread-safe: all calls must come from the
/// thread that constructed it, which must be the main thread: the kernel reparents the jobs'
/// orphans to it, and the Runner takes every other child of that thread for such an orphan. Only
/// one Runner may exist at a time.
///
/// A guard process thaws and ends every job if this process dies, however it dies. The constructor
/// forks it: construct the Runner before any thread.
class Runner : NonCopyable {
 public:
  /// `v1`, `v2`: only that half of a hybrid host; `off`: process groups and /proc.
  enum class Groups { automatic, v1, v2, off };

  explicit Runner(Groups groups = Groups::automatic);
  ~Runner();  ///< Ends every job.

  /// How jobs are held and measured, for people: "cgroup v1 at /sys/fs/cgroup/memory/…", "process
  /// groups and /proc: …why".
  const std::string& isolation_description() const;

  /// Returns the job, or one line that says why it could not be started.
  std::variant<pid_t, std::string> start(const Command& command);

  /// errno of the last `start` that failed, for callers that pass it on; 0 if the start was
  /// refused, except for lack of descriptors.
  int start_error() const;

  /// Jobs that have ended since the last call; call it on SIGCHLD. Never blocks. A job has ended
  /// when its last process has.
  std::vector<RunEnd> reap();

  /// Measures a running job now: a few reads with a cgroup, a walk of /proc without.
  JobUsage measure(pid_t job);

  /// Sends a signal to every process of a job.
  void signal(pid_t job, int number);

  /// Stop and continue all processes of a job. Both may be called twice.
  void suspend(pid_t job);
  void resume(pid_t job);
  bool is_suspended(pid_t job) const;

  /// Kills all of a job at one instant: it is suspended first, so that no part goes on without
  /// another. `reap` reports the end.
  void end(pid_t job);

  std::vector<pid_t> running() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice

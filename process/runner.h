#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// A command to be run as a job.
struct Command {
  std::vector<std::string> argv;                   ///< Program and arguments; no shell.
  std::string directory;                           ///< Empty: here.
  std::map<std::string, std::string> environment;  ///< Added to, or in place of, this process's.
  /// Variables of this process's environment that it gets; none: all.
  std::optional<std::set<std::string>> inherited;
  std::optional<int> nice;  ///< -20 to 19; none: this process's.
  /// Told where the command runs, but not as it was asked: one line for people.
  std::function<void(const std::string&)> warn;
  int input = -1, output = -1, error = -1;  ///< Descriptors; -1: /dev/null.
  std::vector<int> kept;                    ///< More descriptors that it inherits.
  /// Of its group. Where `memory_high` cannot be set or would bring it to a standstill, `warn` is
  /// told. At `memory_max` all of it is killed: by the kernel at once under v2, under v1 by the
  /// `measure` that sees that the kernel has killed a process of it. Where that cannot be set, it
  /// is not started.
  std::optional<Bytes> memory_high, memory_max;

  /// Runs it in this process's place instead: with its streams, its other descriptors and its
  /// process group, so that a terminal's signals reach it, and with this signal mask. To be the
  /// last that this process does.
  std::optional<sigset_t> in_place;
};

/// How a job's command ended.
struct RunEnd {
  pid_t job = 0;
  int status = 0;           ///< As waitpid gives it.
  bool oom_killed = false;  ///< One of its processes was killed by the kernel for lack of memory.
  JobUsage usage;

  bool ok() const;
  /// "exit status 1", "killed by signal 9 (Killed)", "killed for lack of memory at 1.9 GiB".
  std::string sentence() const;
};

/// Runs commands, each in a cgroup of its own below this process's where that may be made, and in
/// a process group of its own everywhere. A job is named by the process it began with; everything
/// that process starts belongs to it and ends with it. Not thread-safe: all calls come from the
/// thread that made it, which must be the main one: the kernel gives it the orphans of the jobs,
/// and every child of that thread but the Runner's own is taken for one. There can be one Runner
/// at a time.
///
/// A guard process thaws and ends every job should this process die, however it dies. It is forked
/// when the Runner is made: make that before any thread.
class Runner {
 public:
  /// `v1` and `v2`: of a hybrid host only the one; `off`: process groups and /proc.
  enum class Groups { automatic, v1, v2, off };

  explicit Runner(Groups groups = Groups::automatic);
  ~Runner();  ///< Ends every job.
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// How jobs are held and measured, for people: "cgroup v1 at /sys/fs/cgroup/memory/…", "process
  /// groups and /proc: …why".
  const std::string& means() const;

  /// The job, or one line that says why it could not be started.
  std::variant<pid_t, std::string> start(const Command& command);

  /// errno of the last `start` that failed, for what has to give it on; 0 where it was refused.
  int start_error() const;

  /// Jobs that have ended since the last call; call it when SIGCHLD comes. Never waits for a job
  /// to end. A job has ended when all that it started has.
  std::vector<RunEnd> reap();

  /// Looks at a running job now; costs a few reads for a group, a walk of /proc without.
  JobUsage measure(pid_t job);

  /// Sends a signal to every process of a job.
  void signal(pid_t job, int number);

  /// Stops all of a job, and lets it go on. Both may be called twice.
  void suspend(pid_t job);
  void resume(pid_t job);
  bool is_suspended(pid_t job) const;

  /// Kills all of a job at one instant: suspended first, so that no half of it goes on without the
  /// other. `reap` tells of its end.
  void end(pid_t job);

  std::vector<pid_t> running() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice

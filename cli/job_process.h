#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {

/// How a child ended.
struct Ended {
  pid_t pid = 0;
  int status = 0;  ///< As waitpid gives it.

  bool ok() const;
  std::string sentence() const;  ///< "exit status 1", "killed by signal 9 (Killed)"
};

/// Starts a command in a process group of its own, with nothing on its input and its output in
/// `log`; it is killed if this process dies. Gives the pid, or one line that says why not.
/// Call it from the main thread: the kernel ties the child's life to the thread that started it.
struct Started {
  pid_t pid = 0;
  std::string error;
};
Started start_process(const std::vector<std::string>& argv, const std::string& directory,
                      const std::string& log);

/// A child that has ended, without waiting for one.
std::optional<Ended> reap_one();

/// Makes orphaned descendants children of this process, so that none can slip away.
void adopt_orphans();

/// Sends the signal to the whole group that `pid` leads.
void signal_group(pid_t pid, int signal);

/// Kills every child there is and waits for it, until none is left.
void kill_all_children();

}  // namespace sluice::cli

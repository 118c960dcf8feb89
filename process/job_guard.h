#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sluice {

/// What the guard has to clear up.
struct GuardedWorld {
  std::vector<std::string> homes;  ///< Folders of cgroups: all that runs in them is ended.
  std::vector<int> locks;          ///< Descriptors by which those are owned; the guard keeps them.
  std::string marker;              ///< How an environment variable of every job's process begins.
};

/// A process that outlives this one only to clear up: when this process ends without having ended
/// its jobs, it thaws and kills them all and removes their groups. It has a session of its own, so
/// that no terminal reaches it, no descriptor but its end of a socket and the locks of the groups,
/// and blocks every signal.
class JobGuard {
 public:
  explicit JobGuard(GuardedWorld world);
  ~JobGuard();  ///< Tells it that there is nothing left to do, and waits for it.
  JobGuard(const JobGuard&) = delete;
  JobGuard& operator=(const JobGuard&) = delete;

  /// `patient`: on the sudden end of this process the job gets SIGTERM and two seconds.
  enum class Manner { at_once, patient };
  void job_started(pid_t leader, Manner manner);
  void job_ended(pid_t leader);

  pid_t pid() const { return pid_; }

  /// This process is about to end: the destructor does not wait for the guard, which may take as
  /// long as a busy host takes to run it once.
  void do_not_wait() { waits_ = false; }

  /// The guard itself has ended and was waited for: makes another, which knows of no job yet.
  void replace();

 private:
  void start();

  GuardedWorld world_;
  pid_t pid_ = -1;
  int socket_ = -1;
  bool waits_ = true;
};

}  // namespace sluice

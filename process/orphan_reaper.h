#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/non_copyable.h"
#include "process/shared_leaders.h"

namespace sluice {

/// What the guard has to clean up.
struct GuardedWorld {
  std::vector<std::string> homes;  ///< Folders of cgroups; every process in them is killed.
  std::vector<int> locks;  ///< Descriptors of the locks on the homes; the guard keeps them open.
  std::string marker;      ///< Prefix of an environment variable that every job process has.
};

/// A process that outlives this one only to clean up: if this process ends before its jobs do, the
/// guard thaws and kills them all and removes their groups. It runs in a session of its own, out of
/// reach of any terminal, holds no descriptors except its end of a socket and the locks of the
/// groups, and blocks every signal.
class OrphanReaper : NonCopyable {
 public:
  explicit OrphanReaper(GuardedWorld world);
  ~OrphanReaper();  ///< Tells the guard that nothing is left to do, and waits for it.

  SharedLeaders& leaders() { return leaders_; }

  /// If this process ends abruptly from now on, the jobs, which got SIGTERM, have two seconds.
  void be_graceful();

  pid_t pid() const { return pid_; }

  /// This process is about to end: the destructor does not wait for the guard, which may take as
  /// long as a busy host takes to schedule it once.
  void do_not_wait() { waits_ = false; }

  /// The guard itself has ended and was reaped: starts another.
  void replace();

 private:
  void start();

  GuardedWorld world_;
  SharedLeaders leaders_;
  pid_t pid_ = -1;
  int socket_ = -1;
  bool waits_ = true;
  bool is_graceful_ = false;
};

}  // namespace sluice

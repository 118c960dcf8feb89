#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "recognition/permit_requests.h"
#include "recognition/process_stopper.h"

namespace sluice {

/// Stops the processes of a build for two reasons: they wait for a permit, or the memory brake
/// suspends the run that they belong to. A process goes on when neither is left. If this process
/// ends, all go on. Call it on one thread.
class StopReasons {
 public:
  explicit StopReasons(StopMethod method) : stopper_(method) {}

  /// It waits for a permit. False if it was not stopped: see `ProcessStopper::hold`.
  bool hold(pid_t process);
  /// It waits no more.
  void go_on(pid_t process);
  /// The brake suspends a run. Those of `processes` that cannot be stopped run on.
  void suspend(Ticket run, const std::vector<pid_t>& processes);
  /// A process that a suspended one had just started is suspended with it.
  void started(pid_t process, pid_t parent);
  void resume(Ticket run);
  /// It has ended.
  void gone(pid_t process);

  /// Stops one again that another process has continued; false if that failed.
  bool hold_again(pid_t process);

  ProcessStopper& stopper() { return stopper_; }
  const ProcessStopper& stopper() const { return stopper_; }
  /// Processes that wait for a permit.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  ProcessStopper stopper_;
  std::set<pid_t> waiting_;
  std::map<pid_t, Ticket> suspended_;
};

}  // namespace sluice

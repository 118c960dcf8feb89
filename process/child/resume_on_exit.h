#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/non_copyable.h"
#include "base/process_table.h"

namespace sluice {

/// A process by its pid and its start time in ticks since boot: pids are reused.
using ProcessIdentity = std::pair<pid_t, std::uint64_t>;

/// A process that outlives this one only to resume what this one has stopped: when this process
/// ends, however it ends, every registered process gets SIGCONT. The guard is no child of this
/// process, so code that waits for children never meets it. Not thread-safe.
class ResumeOnExit : NonCopyable {
 public:
  ResumeOnExit();
  ~ResumeOnExit();  ///< Resumes everything that is still stopped.

  /// Call it before stopping the process. Returns whether the guard knows it; if not, the process
  /// must not be stopped.
  bool will_stop(const ProcessIdentity& process);
  /// Stops those that run, and adds them to `stopped`. Returns whether there were any.
  bool stop(const std::vector<ProcessFacts>& processes, std::set<ProcessIdentity>& stopped);
  /// Starts another guard if it was killed, and tells it everything. Call it several times a second
  /// while anything is stopped: nothing else notices before the next `will_stop`. Two system calls.
  void renew();
  /// Lets it go on, if it is still that process.
  void resume(const ProcessIdentity& process);
  /// The process runs again or has ended.
  void forget(const ProcessIdentity& process);

 private:
  void start();
  bool is_guarded() const;
  bool tell(const ProcessIdentity& process, int what) const;
  bool tell_all() const;

  std::set<ProcessIdentity> stopped_;
  Descriptor socket_;
};

}  // namespace sluice

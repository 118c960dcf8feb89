#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "process/resume_on_exit.h"
#include "recognition/process_facts.h"

namespace sluice {

/// What decides whether somebody would see that a process stops.
struct StopFacts {
  pid_t tracer = 0;
  std::string parent_program;       ///< File name of the program that waits for it.
  bool left_parents_group = false;  ///< It is in another process group than its parent.
};

/// Whether a stop would be seen, and mean something, to whoever waits for the process: a tracer; su
/// and its kin, which stop with their child; a shell with job control, which gives each pipeline a
/// group of its own and takes it for stopped when one of its processes is. Pure.
bool is_stop_seen(const StopFacts& facts);

/// Stops single processes by SIGSTOP and continues them. If this process ends, however it ends, all
/// of them go on. Not thread-safe.
class Holder {
 public:
  Holder() = default;
  ~Holder() = default;  ///< Continues all.
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  /// False if it was not stopped: it may not be signalled, has ended, is stopped already, or the
  /// stop would be seen.
  bool hold(pid_t process);
  /// Continues it and holds it no more; also where it seems to have ended. Nothing if it is not
  /// held; no signal if another process has its number now.
  void go_on(pid_t process);
  /// Call it several times a second while anything is held: see `ResumeOnExit::renew`.
  void renew_guard();

  /// What has become of a held process.
  enum class State {
    held,
    running,  ///< Somebody else has continued it, as a shell's `fg` does.
    ending,   ///< A signal waits that ends it.
    gone
  };
  State state_of(pid_t process) const;

  bool holds(pid_t process) const { return held_.contains(process); }
  std::size_t size() const { return held_.size(); }

 private:
  std::map<pid_t, std::uint64_t> held_;  ///< With the start times.
  std::optional<ResumeOnExit> guard_;    ///< Only forked once something is to be stopped.
};

}  // namespace sluice

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "process/child/signals.h"
#include "sluice/units.h"

namespace sluice {

/// A process and the child that it runs in its own process group look like one process to the shell
/// that started them, also to its job control.
///
/// A process that is stopped between vfork() and exec() leaves its parent in the kernel, waiting
/// for the exec, where it can neither stop nor end: a `make` that was starting something when
/// Ctrl-Z was pressed, and its shell, would hang for good. So after SIGTSTP this lets what the
/// child has forked in this way exec, and stops it once the child has stopped. It ends that once
/// the child has started nothing for 250 ms (it handles the signal, or ignores it), after a second
/// at most.
///
/// Never blocks. Not thread-safe: the thread that waits for the child calls this.
class ForegroundChild {
 public:
  explicit ForegroundChild(pid_t child) : child_(child) {}

  /// If the child has stopped, stops this process, too, and lets the child continue once this
  /// process continues: at once where Ctrl-Z has stopped the child and does not stop this process,
  /// see `stop_by_sigtstp`. Call it before each wait, unless the child is suspended.
  void stop_with_it();

  /// Sends the child the pending signals, except SIGCHLD and those that the terminal has sent to
  /// it, too. Calls `is_handled` with each but SIGCHLD. It returns true if the child is not to stop
  /// on SIGTSTP, as if it is suspended.
  void forward(
      const SignalDescriptor& signals,
      const std::function<bool(int)>& is_handled = [](int) { return false; });

  /// For how many milliseconds to wait for a signal, of at most `usual` (-1: for ever): less while
  /// the child is about to stop.
  int patience(int usual) const;

 private:
  /// A stop that has reached the child.
  struct Stop {
    TimePoint began = {}, last_start = {};
    std::map<pid_t, std::uint64_t> released = {};  ///< With their times of start.
  };
  void let_exec(TimePoint now);

  pid_t child_;
  std::optional<Stop> stop_;
};

}  // namespace sluice

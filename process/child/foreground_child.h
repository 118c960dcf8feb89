#pragma once

#include <sys/types.h>

#include <functional>

#include "process/child/signals.h"

// A process and the child that it runs in its own process group look like one process to the shell
// that started them, also to its job control. Call these from the thread that waits for the child.

namespace sluice {

/// If the child has stopped, stops this process, too, and lets the child continue once this process
/// continues.
void stop_with_child(pid_t child);

/// Sends the child the pending signals, except SIGCHLD and those that the terminal has sent to it,
/// too. Calls `is_handled` with each but SIGCHLD. After SIGTSTP it calls `unblock_stop`, unless
/// `is_handled` returns true, as for a suspended child.
void forward_signals(
    const SignalDescriptor& signals, pid_t child,
    const std::function<bool(int)>& is_handled = [](int) { return false; });

/// A process that is stopped between vfork() and exec() leaves its parent in the kernel, waiting
/// for the exec, where it can neither stop nor end: a `make` that was starting something when
/// Ctrl-Z was pressed, and its shell, would hang for good. Lets what the child has forked in this
/// way exec, and stops it once the child has stopped. Returns then, or once the child has started
/// nothing for 250 ms (it handles the signal, or ignores it), after a second at most.
void unblock_stop(pid_t child);

}  // namespace sluice

#pragma once

#include <sys/types.h>

#include <functional>

#include "process/child/signals.h"

namespace sluice {

/// A process and the child that it runs in its own process group look like one process to the shell
/// that started them, also to its job control. Call these from the thread that waits for the child.

/// If the child has stopped, stops this process, too, and lets the child continue once this process
/// continues.
void stop_with_child(pid_t child);

/// Sends the child the signals that have come, except those that the terminal has sent to it, too,
/// and those about children. Calls `heard` with the number of each but SIGCHLD. After the
/// terminal's SIGTSTP, sees to it that the child can stop: see `unblock_stop`.
void forward_signals(const SignalDescriptor& signals, pid_t child,
                     const std::function<void(int)>& heard = {});

/// A process that the terminal stops between vfork() and exec() leaves its parent in the kernel,
/// waiting for the exec, where it can neither stop nor end: a `make` that was starting something
/// when Ctrl-Z was pressed, and its shell, would hang for good. Lets such processes of the child
/// exec and then stops them. Returns once the child has stopped or starts nothing; after 2 s at
/// most.
void unblock_stop(pid_t child);

}  // namespace sluice

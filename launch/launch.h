#pragma once

#include <string>
#include <vector>

namespace sluice {

/// What follows when the kernel kills a compile or a link for memory. Commands of other kinds, and
/// those that read standard input, never run twice: that may not have the same effect.
enum class AfterKill {
  fail,            ///< It has failed.
  run_again_alone  ///< It runs once more, while the daemon runs no other job.
};

/// Runs the command with a permit of the daemon that this process's environment leads to, or
/// without one as soon as it is known that there is none. A cancelled job's command never runs.
/// Becomes the command by exec where nothing is left to govern. Returns the exit status: the
/// command's; 127 not found, 126 not executable, 75 if its job was cancelled while it waited. If a
/// signal kills the command, the same signal ends this process. Call it from the main thread;
/// `command` must not be empty.
int launch(const std::vector<std::string>& command, AfterKill after_kill);

}  // namespace sluice

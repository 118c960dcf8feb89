#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "process/child/signals.h"

namespace sluice {

/// A command that has a permit.
struct GovernedCommand {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  ///< Added to, or overriding, this process's.
  std::optional<int> nice;                         ///< nullopt for this process's.
  std::string job;                                 ///< Its id at the daemon.
  /// The reader of what its processes use while it runs.
  enum class MeasuredBy { daemon, launcher };
  MeasuredBy measured_by = MeasuredBy::daemon;
};

/// How it ended.
struct ChildEnd {
  int status = 0;                  ///< Exit status.
  int signal = 0;                  ///< The signal that killed it; 0 if it exited.
  int start_error = 0;             ///< errno, if it could not be executed; 0 if it was.
  bool killed_for_memory = false;  ///< By the kernel: the command, or what it had started.
};

/// Runs the command as a child, in this process's group and with its streams, and reports to the
/// daemon: while it runs, that it does, and in the end what it used and how it ended. Forwards
/// signals, stops when the child stops, and stops the child when the daemon says so. If this
/// process dies, the child gets SIGTERM. A daemon that is gone, or hangs, holds nothing up.
/// Prints a line on standard error when the job is suspended and when the kernel killed it for
/// memory. Call it from the main thread.
ChildEnd run_governed(const GovernedCommand& command, Client& client,
                      const SignalDescriptor& signals);

}  // namespace sluice

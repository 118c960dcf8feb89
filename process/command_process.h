#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/child/signals.h"
#include "process/runner.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// How a command ended, or why it did not start.
struct CommandEnd {
  int status = 0;           ///< Exit status; 126 not executable, 127 not found.
  int signal = 0;           ///< The signal that killed it; 0 if it exited.
  std::string problem;      ///< Why it could not be executed; empty if it was.
  JobUsage usage;           ///< Of the command and all its descendants.
  bool oom_killed = false;  ///< The kernel killed one of its processes for lack of memory.
  std::string left;         ///< What it left running and was killed: `RunEnd::about_left`.
};

/// Accounts for a command while it runs, and may suspend it.
class CommandAccount {
 public:
  virtual ~CommandAccount() = default;
  /// Called several times a second with what the command uses.
  virtual void measured(const JobUsage& usage) = 0;
  /// Whether the command should be suspended now. Called several times a second, and whenever
  /// `descriptor` is readable.
  virtual bool holds_back(TimePoint now) = 0;
  /// -1 if there is none.
  virtual int descriptor() const = 0;
};

/// Settings of a command beyond what it inherits from this process: those of a job, of which
/// `run_command` sets the words and the place, and what is asked and told about it.
struct CommandSurroundings : Command {
  /// Called once the command runs, with how it is held and measured:
  /// `Runner::isolation_description`.
  std::function<void(const std::string&)> isolation_description;
  /// How long earlier runs of the same command took. Below `kShortRun` it gets no cgroup of its
  /// own, unless it has a memory limit.
  std::optional<Duration> expected;
  CommandAccount* account = nullptr;
};

/// Runs a command in this process's place: with its standard streams and process group, forwarding
/// signals, and stopping when the command stops. It runs as a job of a Runner: measured, in cgroups
/// of its own where permitted, and ended with all its descendants. If this process is killed, the
/// command gets SIGTERM and two seconds, so that nothing keeps running unaccounted for. If a signal
/// that ends a process has come before, the command does not start, and has ended by that signal.
/// Call it from the main thread.
CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals,
                       const CommandSurroundings& surroundings = {});

}  // namespace sluice

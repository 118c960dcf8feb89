#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "process/signals.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// How a command ended, or why it never began.
struct CommandEnd {
  int status = 0;           ///< Exit status; 126 not executable, 127 not found.
  int signal = 0;           ///< What killed it; 0: it exited.
  std::string problem;      ///< Why it could not be executed; empty if it was.
  JobUsage usage;           ///< Of the command and all that it started.
  bool oom_killed = false;  ///< One of its processes was killed by the kernel for lack of memory.
};

/// Whoever accounts for a command while it runs, and may hold it back.
class CommandAccount {
 public:
  virtual ~CommandAccount() = default;
  /// Told several times a second what it uses.
  virtual void measured(const JobUsage& usage) = 0;
  /// Whether it is to stand still now. Asked several times a second, and when `descriptor` is
  /// readable.
  virtual bool holds_back(TimePoint now) = 0;
  /// -1: none.
  virtual int descriptor() const = 0;
};

/// What a command gets besides what this process has.
struct CommandSurroundings {
  std::map<std::string, std::string> environment;  ///< Added to, or in place of, this process's.
  std::optional<int> nice;                         ///< Its niceness, -20 to 19; none: this one's.
  /// Told where the command runs, but not as it was asked: one line for people.
  std::function<void(const std::string&)> warn;
  /// Told once it runs how it is held and measured: `Runner::means`.
  std::function<void(const std::string&)> means;
  std::optional<Bytes> memory_high, memory_max;  ///< Of its group: see `Command`.
  CommandAccount* account = nullptr;
};

/// Runs a command in this process's place: with its standard streams and process group, passing
/// on the signals that come, stopping when it stops. It runs as a job of a Runner: measured, in
/// cgroups of its own where it may, and all that it started ends with it. It is sent SIGTERM should
/// this process be killed, and has two seconds then, so that nothing runs on that nobody accounts
/// for. To be called from the main thread.
CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals,
                       const CommandSurroundings& surroundings = {});

/// Ends this process by the signal, as it would have ended without Sluice.
[[noreturn]] void die_by(int signal);

}  // namespace sluice

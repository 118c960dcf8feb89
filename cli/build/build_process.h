#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/jobserver/tool_command.h"
#include "process/child/signals.h"
#include "sluice/units.h"

namespace sluice::cli {

/// How the build's command ended.
struct BuildEnd {
  int status = 0;  ///< Exit status; 126 not executable, 127 not found.
  int signal = 0;  ///< The signal that killed it; 0 if it exited.

  bool ok() const { return status == 0 && signal == 0; }
};

/// Something to attend to while the command runs.
struct Companion {
  int descriptor = -1;                             ///< -1 if there is none; asked again each time.
  std::optional<TimePoint> next;                   ///< Call `attend` then at the latest.
  std::function<void(TimePoint now)> attend = {};  ///< Must not block.
  /// Milliseconds from the first news at the descriptor until `attend`, so that it hears of several
  /// at once. Signals do not wait.
  int gathers = 0;
};

/// The command that `sluice build` runs in its own place: with its streams and its process group,
/// so that Ctrl-C and Ctrl-Z reach it. Unlike a job it lives on if this process is killed, and what
/// it leaves behind lives on after it. Not thread-safe.
class BuildProcess {
 public:
  /// Starts it, after `before_exec`, if any, was called with its number; on failure, how that ends
  /// this process, after the reason was reported. A signal that has come before and ends a process
  /// ends this one, and the command does not start.
  static std::variant<BuildProcess, BuildEnd> start(
      const std::vector<std::string>& command,
      const std::map<std::string, std::string>& environment, const std::vector<int>& kept,
      const SignalDescriptor& signals, const std::function<void(pid_t)>& before_exec,
      const ToolReporter& reporter);

  /// Waits for its end, forwards signals, and stops and continues with it. Before each wait it asks
  /// `companions` what to attend to.
  BuildEnd wait(const SignalDescriptor& signals,
                const std::function<std::vector<Companion>()>& companions) const;

 private:
  explicit BuildProcess(pid_t pid) : pid_(pid) {}
  std::optional<BuildEnd> reap() const;

  pid_t pid_;
};

}  // namespace sluice::cli

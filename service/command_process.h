#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// How a command ended, or why it never began.
struct CommandEnd {
  int status = 0;       ///< Exit status; 126 not executable, 127 not found.
  int signal = 0;       ///< What killed it; 0: it exited.
  std::string problem;  ///< Why it could not be executed; empty if it was.
};

/// Signals as a readable descriptor. They are blocked from construction to destruction.
class SignalDescriptor {
 public:
  SignalDescriptor();
  ~SignalDescriptor();

  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;

  int descriptor() const { return descriptor_; }
  const sigset_t& mask_before() const { return before_; }

  struct Signal {
    int number;
    bool from_terminal;  ///< Sent by the kernel to the whole foreground group: the child has it.
  };
  /// The next one that has come.
  std::optional<Signal> next() const;

 private:
  int descriptor_;
  sigset_t before_;
};

/// Runs a command in this process's place: with its standard streams and process group, passing
/// on the signals that come, stopping when it stops. It is sent SIGTERM should this process be
/// killed, so that nothing runs on that nobody accounts for.
CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals);

/// Ends this process by the signal, as it would have ended without Sluice.
[[noreturn]] void die_by(int signal);

}  // namespace sluice

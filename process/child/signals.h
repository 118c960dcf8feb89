#pragma once

#include <signal.h>
#include <sys/types.h>

#include <initializer_list>
#include <optional>

#include "base/non_copyable.h"

namespace sluice {

/// Signals that a command which runs another one forwards or waits for.
inline constexpr std::initializer_list<int> kCommandSignals = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGCHLD};

/// Has the kernel keep ended children until this process asks about them. A caller that ignores
/// SIGCHLD passes that on, and the kernel would then discard them: nobody would know how, or when,
/// a command ended. Commands started by this process inherit the default. Call it before any thread
/// or child starts.
void restore_default_sigchld();

/// Has a write to a pipe or a socket whose reader is gone fail, instead of ending this process: a
/// message that nobody reads must neither keep a command from starting nor leave it without its
/// governor. A command that this process executes gets the handling that was there before. Call it
/// before any thread starts.
void ignore_sigpipe();

/// Takes that back, for the output of a process that runs no command: without a reader, it ends
/// quietly. Does nothing without `ignore_sigpipe()`, or if SIGPIPE was ignored before it.
void restore_sigpipe();

/// Signals as a readable descriptor. They are blocked from construction to destruction, in this
/// thread and those it starts: construct it before any other thread. A signal that was ignored
/// stays ignored.
class SignalDescriptor : NonCopyable {
 public:
  explicit SignalDescriptor(std::initializer_list<int> handled);
  ~SignalDescriptor();

  int descriptor() const { return descriptor_; }
  const sigset_t& mask_before() const { return before_; }

  struct Signal {
    int number;
    bool from_terminal;  ///< Sent by the kernel to the whole foreground group: the child has it.
  };
  /// The next pending signal; nullopt if there is none.
  std::optional<Signal> next() const;

 private:
  int descriptor_;
  sigset_t before_;
};

/// Ends this process by the signal's default action, but without a core file.
[[noreturn]] void die_by(int signal);

/// Takes the signals that have come, `stop_by_sigtstp()` on SIGTSTP, up to one that would end a
/// process without Sluice, and returns its number; nullopt if there is none.
std::optional<int> take_ending_signal(const SignalDescriptor& signals);

/// For `Spawning::before_exec`: a signal of the terminal that has come before the command's process
/// existed has not reached it. If one that `take_ending_signal` returns has come, kills the command
/// by SIGKILL before it executes, and returns that signal.
std::optional<int> kill_if_interrupted(const SignalDescriptor& signals, pid_t command);

/// Ends this process, and so every connection that holds a job, by such a signal if one has come.
/// For a process that waits for admission.
void end_on_signal(const SignalDescriptor& signals);

}  // namespace sluice

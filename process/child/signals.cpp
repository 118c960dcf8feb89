#include "process/child/signals.h"

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/terminal_stop.h"

namespace sluice {
namespace {

/// A handler, unlike SIG_IGN, ends with exec: a command gets the handling that was there before.
void pass_over(int) {}

}  // namespace

void ignore_sigpipe() {
  struct sigaction handling {};
  if (sigaction(SIGPIPE, nullptr, &handling) != 0 || handling.sa_handler != SIG_DFL) return;
  handling = {};
  handling.sa_handler = pass_over;
  handling.sa_flags = SA_RESTART;
  sigaction(SIGPIPE, &handling, nullptr);
}

void restore_sigpipe() {
  struct sigaction handling {};
  const bool is_known = sigaction(SIGPIPE, nullptr, &handling) == 0;
  if (is_known && handling.sa_handler == pass_over) signal(SIGPIPE, SIG_DFL);
}

void restore_default_sigchld() { signal(SIGCHLD, SIG_DFL); }

SignalDescriptor::SignalDescriptor(std::initializer_list<int> handled) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : handled) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, &before_);
  // Signals ignored before, as by nohup, stay ignored here and in the command.
  for (const int signal : handled) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN && signal != SIGCHLD) sigdelset(&set, signal);
  }
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalDescriptor::~SignalDescriptor() {
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<SignalDescriptor::Signal> SignalDescriptor::next() const {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != sizeof info) return std::nullopt;
  return Signal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

void die_by(int signal) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

std::optional<int> take_ending_signal(const SignalDescriptor& signals) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGTSTP) stop_by_sigtstp();
    if (signal->number == SIGTSTP || signal->number == SIGCONT || signal->number == SIGCHLD) {
      continue;
    }
    return signal->number;
  }
  return std::nullopt;
}

std::optional<int> kill_if_interrupted(const SignalDescriptor& signals, pid_t command) {
  const auto signal = take_ending_signal(signals);
  if (signal) kill(command, SIGKILL);
  return signal;
}

void end_on_signal(const SignalDescriptor& signals) {
  if (const auto signal = take_ending_signal(signals)) die_by(*signal);
}

}  // namespace sluice

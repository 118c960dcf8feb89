#include "service/command_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace sluice {
namespace {

/// In the child: becomes the command, or writes why not.
[[noreturn]] void become(char* const* arguments, const sigset_t& mask, pid_t parent, int report) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(report, &error, sizeof error);
  _exit(127);
}

CommandEnd not_executed(const std::string& command, int error) {
  CommandEnd end;
  end.status = error == ENOENT ? 127 : 126;
  end.problem = command + ": " + std::strerror(error);
  return end;
}

void pass_on(const SignalDescriptor& signals, pid_t child) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGCHLD || signal->from_terminal) continue;
    kill(child, signal->number);
  }
}

/// The end of the child, if it has come. Stops with it.
std::optional<CommandEnd> look_at(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
    if (WIFEXITED(status)) return CommandEnd{WEXITSTATUS(status), 0, {}};
    if (WIFSIGNALED(status)) return CommandEnd{0, WTERMSIG(status), {}};
    raise(SIGSTOP);
    kill(child, SIGCONT);
  }
  return std::nullopt;
}

CommandEnd wait_for(pid_t child, const SignalDescriptor& signals) {
  while (true) {
    if (auto end = look_at(child)) return *std::move(end);
    pollfd ready{signals.descriptor(), POLLIN, 0};
    poll(&ready, 1, -1);
    pass_on(signals, child);
  }
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return not_executed(command[0], errno);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(arguments.data(), signals.mask_before(), parent, report[1]);
  const int fork_error = errno;
  close(report[1]);
  int error = 0;
  if (child < 0) {
    error = fork_error;
  } else if (read(report[0], &error, sizeof error) == sizeof error) {
    waitpid(child, nullptr, 0);
  }
  close(report[0]);
  if (error != 0) return not_executed(command[0], error);
  return wait_for(child, signals);
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

}  // namespace sluice

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

/// What the child says of itself before it is the command.
struct Report {
  enum class Step { nice, execute };
  Step step;
  int error;
};

void say(int pipe, Report::Step step) {
  const Report report{step, errno};
  [[maybe_unused]] const ssize_t ignored = write(pipe, &report, sizeof report);
}

/// All that the child needs, made before the fork: after it only little is allowed.
struct Becoming {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::optional<int> nice;
};

/// In the child: becomes the command, or reports why not.
[[noreturn]] void become(const Becoming& becoming, const sigset_t& mask, pid_t parent, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  if (becoming.nice && setpriority(PRIO_PROCESS, 0, *becoming.nice) != 0) {
    say(pipe, Report::Step::nice);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(becoming.arguments[0], becoming.arguments.data(), becoming.environment.data());
  say(pipe, Report::Step::execute);
  _exit(127);
}

/// "NAME=value" for each variable of this process and each added one.
std::vector<std::string> joined_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** each = environ; *each; ++each) {
    const std::string variable(*each);
    if (!added.contains(variable.substr(0, variable.find('=')))) all.push_back(variable);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Listens until the child is the command or has given up; the error of an execution that failed.
int hear(int pipe, const CommandSurroundings& surroundings) {
  int error = 0;
  Report report{};
  while (read(pipe, &report, sizeof report) == sizeof report) {
    if (report.step == Report::Step::execute) {
      error = report.error;
    } else if (surroundings.warn) {
      surroundings.warn("nice " + std::to_string(*surroundings.nice) +
                        " could not be set: " + std::strerror(report.error));
    }
  }
  return error;
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

CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals,
                       const CommandSurroundings& surroundings) {
  const std::vector<std::string> environment = joined_environment(surroundings.environment);
  const Becoming becoming{pointers_to(command), pointers_to(environment), surroundings.nice};
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return not_executed(command[0], errno);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(becoming, signals.mask_before(), parent, pipe[1]);
  const int fork_error = errno;
  close(pipe[1]);
  const int error = child < 0 ? fork_error : hear(pipe[0], surroundings);
  close(pipe[0]);
  if (error == 0) return wait_for(child, signals);
  if (child > 0) waitpid(child, nullptr, 0);
  return not_executed(command[0], error);
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

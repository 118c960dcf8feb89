#include "service/command_process.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "service/runner.h"

namespace sluice {
namespace {

constexpr Duration kMeasure = std::chrono::milliseconds(250);

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

/// Stops when the child has, and lets it go on when this process goes on.
void stop_with(pid_t child) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WNOHANG) == 0 &&
         info.si_pid == child) {
    raise(SIGSTOP);
    kill(child, SIGCONT);
    info = {};
  }
}

CommandEnd command_end(const RunEnd& end) {
  CommandEnd told;
  if (WIFSIGNALED(end.status)) {
    told.signal = WTERMSIG(end.status);
  } else {
    told.status = WEXITSTATUS(end.status);
  }
  told.usage = end.usage;
  told.oom_killed = end.oom_killed;
  return told;
}

/// Until the next look at what it uses is due, in milliseconds for poll; for ever if none is
/// wanted.
int patience(const CommandSurroundings& surroundings, TimePoint measured) {
  if (!surroundings.measured) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(measured + kMeasure - Clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

CommandEnd wait_for(pid_t child, Runner& runner, const SignalDescriptor& signals,
                    const CommandSurroundings& surroundings) {
  TimePoint measured = Clock::now();
  while (true) {
    stop_with(child);
    if (const auto ends = runner.reap(); !ends.empty()) return command_end(ends.front());
    pollfd ready{signals.descriptor(), POLLIN, 0};
    if (poll(&ready, 1, patience(surroundings, measured)) == 0) {
      surroundings.measured(runner.measure(child));
      measured = Clock::now();
    }
    pass_on(signals, child);
  }
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals,
                       const CommandSurroundings& surroundings) {
  Runner runner;
  Command job;
  job.argv = command;
  job.environment = surroundings.environment;
  job.nice = surroundings.nice;
  job.warn = surroundings.warn;
  job.in_place = signals.mask_before();
  const auto started = runner.start(job);
  if (std::holds_alternative<std::string>(started)) {
    return not_executed(command[0], runner.start_error());
  }
  if (surroundings.means) surroundings.means(runner.means());
  return wait_for(std::get<pid_t>(started), runner, signals, surroundings);
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

// Runs a command and watches it, as `sluice build` does, and nothing else:
//
//   watched_build SOCKET best|proc|signals COMMAND [ARG...]
//
// Prints what is said, and at the end the report, on standard error. Its status is the command's.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <variant>

#include "client/client.h"
#include "process/child/signals.h"
#include "recognition/build_watch.h"

namespace sluice {
namespace {

void tell(const BuildReport& report) {
  std::fprintf(stderr,
               "runs %zu running %zu held %zu most_held %zu stall %zu clock %zu unstoppable %zu "
               "daemon %zu pipeline %zu killed %zu\n",
               report.runs, report.running, report.held, report.most_held, report.beyond_stall,
               report.beyond_clock, report.beyond_unstoppable, report.beyond_daemon,
               report.beyond_pipeline, report.killed_for_memory.size());
  for (const BuildRun& run : report.heaviest) {
    std::fprintf(stderr, "heavy %s %llu MiB\n", run.name.c_str(),
                 static_cast<unsigned long long>(run.peak.value >> 20));
  }
}

/// The status of the command, once it has ended.
int watch(BuildWatch& watched, pid_t command, const SignalDescriptor& signals) {
  while (true) {
    watched.poll(Clock::now());
    int status = 0;
    while (signals.next()) {
    }
    if (waitpid(command, &status, WNOHANG) == command) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    int wait = -1;
    if (const auto until = watched.next()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now());
      wait = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    std::array<pollfd, 2> ready{
        {{watched.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), wait);
  }
}

int run(char** arguments) {
  const SignalDescriptor signals({SIGCHLD});
  auto daemon = Client::connect(arguments[1]);
  if (const auto* problem = std::get_if<std::string>(&daemon)) {
    std::fprintf(stderr, "%s\n", problem->c_str());
    return 2;
  }
  // The command starts once it is watched.
  std::array<int, 2> start{};
  if (pipe(start.data()) != 0) return 2;
  const pid_t command = fork();
  if (command == 0) {
    sigprocmask(SIG_SETMASK, &signals.mask_before(), nullptr);
    setpgid(0, 0);
    close(start[1]);
    char ready = 0;
    while (read(start[0], &ready, 1) < 0) {
    }
    close(start[0]);
    execvp(arguments[3], arguments + 3);
    _exit(127);
  }
  BuildWatchOptions options;
  options.only_proc = std::strcmp(arguments[2], "proc") == 0;
  options.only_signals = std::strcmp(arguments[2], "signals") == 0;
  options.say = [](const std::string& line) { std::fprintf(stderr, "said: %s\n", line.c_str()); };
  BuildWatch watched(options, std::move(std::get<Client>(daemon)), command);
  watched.poll(Clock::now());
  close(start[0]);
  close(start[1]);
  const int status = watch(watched, command, signals);
  watched.poll(Clock::now());
  tell(watched.report());
  return status;
}

}  // namespace
}  // namespace sluice

int main(int count, char** arguments) { return count < 4 ? 2 : sluice::run(arguments); }

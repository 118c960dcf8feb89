// The cost of running a command as a job: no-op commands, two at a time, with each means of holding
// them, and without a Runner.
//
//   build/bench/bench/bench_runner [COMMANDS]
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "process/child/signals.h"
#include "process/runner.h"
#include "timing.h"

namespace {
using namespace sluice;

constexpr std::size_t kAtOnce = 2;
constexpr std::pair<const char*, Runner::Groups> kMeans[] = {
    {"process groups", Runner::Groups::off},
    {"cgroup v1", Runner::Groups::v1},
    {"cgroup v2", Runner::Groups::v2}};

/// fork, exec and wait, as a shell does.
double plain(int commands) {
  const TimePoint began = Clock::now();
  int running = 0;
  for (int left = commands; left > 0 || running > 0;) {
    if (left > 0 && running < static_cast<int>(kAtOnce)) {
      const pid_t pid = fork();
      if (pid == 0) {
        execl("/bin/true", "true", nullptr);
        _exit(127);
      }
      --left;
      ++running;
      continue;
    }
    waitpid(-1, nullptr, 0);
    --running;
  }
  return milliseconds_since(began) / commands;
}

double held(Runner::Groups groups, int commands) {
  const SignalDescriptor signals({SIGCHLD});
  Runner runner(groups);
  std::printf("# %s\n", runner.isolation_description().c_str());
  Command command;
  command.argv = {"/bin/true"};
  const TimePoint began = Clock::now();
  int left = commands;
  while (left > 0 || !runner.running().empty()) {
    while (left > 0 && runner.running().size() < kAtOnce) {
      runner.start(command);
      --left;
    }
    pollfd ready{signals.descriptor(), POLLIN, 0};
    poll(&ready, 1, -1);
    while (signals.next()) continue;
    runner.reap();
  }
  return milliseconds_since(began) / commands;
}

/// The cost of having a Runner at all: creating it, its guard and its groups, and destroying them.
double made(Runner::Groups groups) {
  constexpr int kTimes = 20;
  const TimePoint began = Clock::now();
  for (int i = 0; i < kTimes; ++i) const Runner runner(groups);
  return milliseconds_since(began) / kTimes;
}

/// The time of one measurement of a job.
double measured(Runner::Groups groups) {
  constexpr int kTimes = 100;
  Runner runner(groups);
  Command command;
  command.argv = {"/bin/sleep", "60"};
  const pid_t job = std::get<pid_t>(runner.start(command));
  const TimePoint began = Clock::now();
  for (int i = 0; i < kTimes; ++i) {
    runner.measure(job);
    if (groups == Runner::Groups::off) poll(nullptr, 0, 25);  // Closer measurements share one.
  }
  const double paused = groups == Runner::Groups::off ? 25.1 : 0;
  return milliseconds_since(began) / kTimes - paused;
}

}  // namespace

int main(int count, char** words) {
  const int commands = count > 1 ? std::atoi(words[1]) : 1000;
  std::printf("%d no-op commands, two at a time, ms per command\n", commands);
  for (int round = 0; round < 3; ++round) {
    std::printf("%-16s %.3f\n", "fork and exec", plain(commands));
    for (const auto& [name, groups] : kMeans) {
      std::printf("%-16s %.3f\n", name, held(groups, commands));
    }
  }
  std::printf("\n%-16s %8s %8s  ms\n", "", "a Runner", "a look");
  for (const auto& [name, groups] : kMeans) {
    std::printf("%-16s %8.3f %8.3f\n", name, made(groups), measured(groups));
  }
}

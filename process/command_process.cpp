#include "process/command_process.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/readiness.h"
#include "base/terminal_stop.h"
#include "process/child/foreground_child.h"
#include "process/child/sampling_schedule.h"

namespace sluice {
namespace {

CommandEnd not_executed(const std::string& command, const std::string& reason, int error) {
  CommandEnd end;
  end.status = error == ENOENT ? 127 : 126;
  end.problem = command + ": " + (error == 0 ? reason : std::strerror(error));
  if (error == ENOEXEC) end.problem += ": it names no interpreter (#!); try `sh " + command + "`";
  return end;
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
  told.left = end.about_left();
  return told;
}

/// Measures the command for its account, and suspends it when the account says so.
class Accounted {
 public:
  Accounted(CommandAccount* account, Runner& runner, pid_t child)
      : account_(account), runner_(runner), child_(child), due_(pace_.first(Clock::now())) {}

  /// A suspended command receives no signals: on a signal to end, it is resumed for good; on a
  /// terminal stop, this process stops in its place. Returns whether it was suspended.
  bool heed(int signal) {
    if (!runner_.is_suspended(child_)) return false;
    constexpr std::array<int, 4> kEnding{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    if (signal == SIGTSTP) stop_by_sigtstp();
    if (std::ranges::find(kEnding, signal) == kEnding.end()) return true;
    runner_.resume(child_);
    account_ = nullptr;
    return true;
  }

  void poll(TimePoint now) {
    if (!account_) return;
    if (now >= due_) {
      const JobUsage usage = runner_.measure(child_);
      due_ = pace_.next(usage, now);
      account_->measured(usage);
    }
    account_->holds_back(now) ? runner_.suspend(child_) : runner_.resume(child_);
  }

  int descriptor() const { return account_ ? account_->descriptor() : -1; }

  /// Milliseconds until the next measurement, as poll's timeout; -1 without an account.
  int patience(TimePoint now) const { return account_ ? poll_timeout(due_ - now) : -1; }

 private:
  CommandAccount* account_;
  Runner& runner_;
  pid_t child_;
  SamplingSchedule pace_;
  TimePoint due_;
};

CommandEnd wait_for(pid_t child, Runner& runner, const SignalDescriptor& signals,
                    CommandAccount* account) {
  Accounted accounted(account, runner, child);
  ForegroundChild foreground(child);
  while (true) {
    // A child that is suspended has not stopped by itself.
    if (!runner.is_suspended(child)) foreground.stop_with_it();
    if (const auto ends = runner.reap(); !ends.empty()) return command_end(ends.front());
    accounted.poll(Clock::now());
    std::array<pollfd, 2> ready{
        {{signals.descriptor(), POLLIN, 0}, {accounted.descriptor(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), foreground.patience(accounted.patience(Clock::now())));
    foreground.forward(signals, [&](int signal) { return accounted.heed(signal); });
  }
}

/// Finding the hierarchies and making a group in each takes longer than `true`.
Runner::Groups groups_for(const CommandSurroundings& surroundings) {
  const bool is_limited = surroundings.memory_high || surroundings.memory_max;
  const bool is_short = surroundings.expected && *surroundings.expected < kShortRun;
  return is_short && !is_limited ? Runner::Groups::off : Runner::Groups::automatic;
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& command, const SignalDescriptor& signals,
                       const CommandSurroundings& surroundings) {
  Runner runner(groups_for(surroundings));
  Command job = surroundings;
  job.argv = command;
  job.in_place = signals.mask_before();
  CommandEnd interrupted;
  job.before_exec = [&](pid_t process) {
    interrupted.signal = kill_if_interrupted(signals, process).value_or(0);
  };
  const auto started = runner.start(job);
  if (interrupted.signal != 0) return interrupted;
  if (const auto* reason = std::get_if<std::string>(&started)) {
    return not_executed(command[0], *reason, runner.start_error());
  }
  if (surroundings.isolation_description)
    surroundings.isolation_description(runner.isolation_description());
  return wait_for(std::get<pid_t>(started), runner, signals, surroundings.account);
}

}  // namespace sluice

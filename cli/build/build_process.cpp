#include "cli/build/build_process.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/readiness.h"
#include "process/child/foreground_child.h"
#include "process/child/spawn.h"

namespace sluice::cli {
namespace {

/// The exit status when that of the command is unknown: not a success.
constexpr int kUnknownEnd = 1;

/// Milliseconds until the earliest time that a companion names, as poll's timeout; -1 without one.
int patience(const std::vector<Companion>& companions, TimePoint now) {
  std::optional<TimePoint> next;
  for (const Companion& each : companions) {
    if (each.next) next = std::min(each.next.value(), next.value_or(*each.next));
  }
  return next ? poll_timeout(*next - now) : -1;
}

/// The shortest `gathers` of those with news; `ready` has signals first.
int gathering(const std::vector<Companion>& companions, const std::vector<pollfd>& ready) {
  std::optional<int> shortest;
  for (std::size_t at = 0; at < companions.size(); ++at) {
    const int gathers = companions[at].gathers;
    if (ready[at + 1].revents != 0) shortest = std::min(gathers, shortest.value_or(gathers));
  }
  return shortest.value_or(0);
}

}  // namespace

std::variant<BuildProcess, BuildEnd> BuildProcess::start(
    const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
    const std::vector<int>& kept, const SignalDescriptor& signals,
    const std::function<void(pid_t)>& before_exec, const ToolReporter& reporter) {
  Spawning spawning;
  spawning.place = Spawning::Place::in_place;
  spawning.argv = command;
  spawning.environment = environment;
  spawning.kept = kept;
  spawning.mask = signals.mask_before();
  spawning.death_signal = 0;
  std::optional<int> interrupted;
  spawning.before_exec = [&](pid_t process) {
    interrupted = kill_if_interrupted(signals, process);
    if (!interrupted && before_exec) before_exec(process);
  };
  const Spawned spawned = spawn(spawning);
  if (interrupted) {
    waitpid(spawned.pid, nullptr, 0);
    return BuildEnd{0, *interrupted};
  }
  if (spawned.pid > 0) return BuildProcess(spawned.pid);
  reporter.say("error", spawned.reason);
  return BuildEnd{spawned.error == ENOENT ? 127 : 126, 0};
}

std::optional<BuildEnd> BuildProcess::reap() const {
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  // Another thread reaped it: its exit status is unknown.
  if (ended < 0 && errno == ECHILD) return BuildEnd{kUnknownEnd, 0};
  if (ended != pid_) return std::nullopt;
  if (WIFSIGNALED(status)) return BuildEnd{0, WTERMSIG(status)};
  return BuildEnd{WEXITSTATUS(status), 0};
}

BuildEnd BuildProcess::wait(const SignalDescriptor& signals,
                            const std::function<std::vector<Companion>()>& companions) const {
  ForegroundChild foreground(pid_);
  while (true) {
    if (const auto end = reap()) return *end;
    foreground.stop_with_it();
    const std::vector<Companion> present = companions();
    std::vector<pollfd> ready{{signals.descriptor(), POLLIN, 0}};
    for (const Companion& each : present) ready.push_back({each.descriptor, POLLIN, 0});
    poll(ready.data(), ready.size(), foreground.patience(patience(present, Clock::now())));
    const int gathers = gathering(present, ready);
    if (gathers > 0 && ready[0].revents == 0) poll(ready.data(), 1, gathers);
    foreground.forward(signals);
    const TimePoint now = Clock::now();
    for (std::size_t at = 0; at < present.size(); ++at) {
      const bool is_due = present[at].next && *present[at].next <= now;
      if (ready[at + 1].revents != 0 || is_due) present[at].attend(now);
    }
  }
}

}  // namespace sluice::cli

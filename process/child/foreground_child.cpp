#include "process/child/foreground_child.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {
namespace {

constexpr Duration kLongest = std::chrono::seconds(1);
/// A child that starts nothing for so long has taken its signal, or ignores it.
constexpr Duration kStartsNothing = std::chrono::milliseconds(250);
constexpr int kPollMilliseconds = 2;

/// All its threads have stopped since the last call without WNOWAIT.
bool has_stopped(pid_t child, int flags) {
  siginfo_t stopped{};
  const auto id = static_cast<id_t>(child);
  return waitid(P_PID, id, &stopped, WSTOPPED | WNOHANG | flags) == 0 && stopped.si_pid == child;
}

/// Copies of the child that have executed nothing yet and are stopped, as the child is to be.
std::vector<ProcessFacts> stopped_before_exec(const std::vector<pid_t>& children,
                                              const ProcessFacts& parent) {
  std::vector<ProcessFacts> found;
  for (const pid_t each : children) {
    const auto facts = read_process(each);
    // Not one that is traced ('t'), or led by a shell of its own.
    const bool is_stopped = facts && facts->state == 'T' && facts->group == parent.group;
    if (is_stopped && !facts->has_executed) found.push_back(*facts);
  }
  return found;
}

}  // namespace

void stop_with_child(pid_t child) {
  if (!has_stopped(child, 0)) return;
  raise(SIGSTOP);
  kill(child, SIGCONT);
}

void unblock_stop(pid_t child) {
  const TimePoint begin = Clock::now();
  TimePoint last_start = begin;
  std::map<pid_t, std::uint64_t> released;  ///< With their times of start.
  const auto self = read_process(child);
  while (self && !has_stopped(child, WNOWAIT)) {
    const TimePoint now = Clock::now();
    const auto children = read_children_of_uninterruptible(child);
    if (children) last_start = now;
    if (now - last_start > kStartsNothing || now - begin > kLongest) return;
    for (const auto& each : stopped_before_exec(children.value_or(std::vector<pid_t>{}), *self)) {
      kill(each.pid, SIGCONT);
      released[each.pid] = each.started;
    }
    poll(nullptr, 0, kPollMilliseconds);
  }
  for (const auto& [process, started] : released) {
    const auto facts = read_process(process);
    if (facts && facts->started == started) kill(process, SIGTSTP);
  }
}

void forward_signals(const SignalDescriptor& signals, pid_t child,
                     const std::function<bool(int)>& is_handled) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGCHLD) continue;
    if (!signal->from_terminal) kill(child, signal->number);
    if (!is_handled(signal->number) && signal->number == SIGTSTP) unblock_stop(child);
  }
}

}  // namespace sluice

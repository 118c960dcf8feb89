#include "process/child/foreground_child.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/process_table.h"
#include "base/terminal_stop.h"

namespace sluice {
namespace {

constexpr Duration kLongest = std::chrono::seconds(1);
/// A child that starts nothing for so long has taken its signal, or ignores it.
constexpr Duration kStartsNothing = std::chrono::milliseconds(250);
constexpr int kPollMilliseconds = 2;

/// The signal that has stopped all its threads since the last call; 0 if none has.
int stopped_by(pid_t child) {
  siginfo_t stopped{};
  const auto id = static_cast<id_t>(child);
  const bool is_told = waitid(P_PID, id, &stopped, WSTOPPED | WNOHANG) == 0;
  return is_told && stopped.si_pid == child ? stopped.si_status : 0;
}

bool is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
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

void ForegroundChild::stop_with_it() {
  const int by = stopped_by(child_);
  if (by == 0) {
    if (stop_) let_exec(Clock::now());
    return;
  }
  // A child may stop itself by SIGSTOP when Ctrl-Z comes: that is a terminal's stop, too. In an
  // orphaned process group this process does not stop then, and the child goes on at once. Not one
  // in a group of its own that may not use the terminal (SIGTTIN, SIGTTOU): it would try again, and
  // be stopped again, without end.
  const bool is_of_ctrl_z = stop_ || is_pending(SIGTSTP);
  const bool is_terminals = by == SIGTSTP || (by == SIGSTOP && is_of_ctrl_z);
  const Stop stop = std::exchange(stop_, std::nullopt).value_or(Stop{});
  for (const auto& [process, started] : stop.released) {
    const auto facts = read_process(process);
    if (facts && facts->started == started) kill(process, SIGTSTP);
  }
  if (is_terminals) {
    stop_by_sigtstp();
  } else {
    raise(SIGSTOP);
  }
  kill(child_, SIGCONT);
}

void ForegroundChild::let_exec(TimePoint now) {
  const auto self = read_process(child_);
  const auto children = read_children_of_uninterruptible(child_);
  if (children) stop_->last_start = now;
  const bool is_over =
      now - stop_->last_start > kStartsNothing || now - stop_->began > kLongest || !self;
  if (is_over) return stop_.reset();
  for (const auto& each : stopped_before_exec(children.value_or(std::vector<pid_t>{}), *self)) {
    kill(each.pid, SIGCONT);
    stop_->released[each.pid] = each.started;
  }
}

void ForegroundChild::forward(const SignalDescriptor& signals,
                              const std::function<bool(int)>& is_handled) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGCHLD) continue;
    if (!signal->from_terminal) kill(child_, signal->number);
    if (is_handled(signal->number) || signal->number != SIGTSTP) continue;
    const TimePoint now = Clock::now();
    if (!stop_) stop_ = Stop{};
    stop_->began = stop_->last_start = now;
  }
}

int ForegroundChild::patience(int usual) const {
  // A suspended child is not looked after.
  if (!stop_ || Clock::now() - stop_->began > kLongest) return usual;
  return usual < 0 ? kPollMilliseconds : std::min(usual, kPollMilliseconds);
}

}  // namespace sluice

#include "process/child/foreground_child.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <set>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {
namespace {

constexpr Duration kLongest = std::chrono::seconds(2);
/// A child that starts nothing for so long has taken its signal, or ignores it.
constexpr Duration kStartsNothing = std::chrono::milliseconds(250);
constexpr int kPollMilliseconds = 2;

/// All its threads have stopped since the last call without WNOWAIT.
bool has_stopped(pid_t child, int flags) {
  siginfo_t stopped{};
  const auto id = static_cast<id_t>(child);
  return waitid(P_PID, id, &stopped, WSTOPPED | WNOHANG | flags) == 0 && stopped.si_pid == child;
}

/// Those that the process has forked, that have executed nothing yet, and that are stopped.
std::set<pid_t> stopped_before_exec(pid_t parent) {
  std::set<pid_t> found;
  for (const ProcessFacts& each : read_processes()) {
    if (each.parent == parent && each.is_stopped() && !each.has_executed) found.insert(each.pid);
  }
  return found;
}

/// As in vfork(), until what it has forked executes something.
bool is_uninterruptible(pid_t process) {
  const auto facts = read_process(process);
  return facts && facts->state == 'D';
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
  std::set<pid_t> released;
  for (TimePoint now = begin; now - begin < kLongest; now = Clock::now()) {
    if (has_stopped(child, WNOWAIT)) break;
    const std::set<pid_t> found = stopped_before_exec(child);
    for (const pid_t each : found) kill(each, SIGCONT);
    released.insert(found.begin(), found.end());
    if (!found.empty() || is_uninterruptible(child)) last_start = now;
    if (now - last_start > kStartsNothing) break;
    poll(nullptr, 0, kPollMilliseconds);
  }
  for (const pid_t each : released) kill(each, SIGTSTP);
}

void forward_signals(const SignalDescriptor& signals, pid_t child,
                     const std::function<void(int)>& heard) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGCHLD) continue;
    if (!signal->from_terminal) kill(child, signal->number);
    if (signal->number == SIGTSTP && signal->from_terminal) unblock_stop(child);
    if (heard) heard(signal->number);
  }
}

}  // namespace sluice

#include "recognition/trace_stop.h"

#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "base/folder.h"

namespace sluice {
namespace {

/// In the destructor; what is in the kernel for longer goes on when this process ends.
constexpr int kSettleAttempts = 50, kSettlePause = 2;  ///< ms

std::size_t count_of_threads(pid_t process) {
  return names_in_folder("/proc/" + std::to_string(process) + "/task").size();
}

/// 0 where it has stopped for this tracer, else an error.
int trace(__ptrace_request request, pid_t process, int signal) {
  const auto data = static_cast<std::uintptr_t>(signal);
  return ptrace(request, process, nullptr, data) == 0 ? 0 : errno;
}

/// The signal with which a stopped process is to go on: that of which it was about to hear, else 0.
/// -1 if it has not stopped.
int signal_to_deliver(pid_t process) {
  siginfo_t info{};
  if (ptrace(PTRACE_GETSIGINFO, process, nullptr, &info) != 0) return errno == ESRCH ? -1 : 0;
  constexpr int kEvent = 8;  ///< Bits of the code above which an event is.
  return info.si_code >> kEvent == PTRACE_EVENT_STOP ? 0 : info.si_signo;
}

}  // namespace

TraceStop::~TraceStop() {
  leaving_.merge(stopped_);
  settle();
  for (int attempt = 0; attempt < kSettleAttempts && is_settling(); ++attempt) {
    poll(nullptr, 0, kSettlePause);
    settle();
  }
}

bool TraceStop::has_more_threads(pid_t process) { return count_of_threads(process) > 1; }

bool TraceStop::stop(pid_t process) {
  if (stopped_.contains(process)) return true;
  if (count_of_threads(process) != 1) return false;
  // It may not have left since the last time.
  if (leaving_.erase(process) == 0) {
    if (trace(PTRACE_SEIZE, process, 0) != 0) return false;
    trace(PTRACE_INTERRUPT, process, 0);
  }
  stopped_.insert(process);
  return true;
}

void TraceStop::go_on(pid_t process) {
  if (stopped_.erase(process) == 0) return;
  leaving_.insert(process);
  settle();
}

bool TraceStop::has_left(pid_t process) {
  const int signal = signal_to_deliver(process);
  if (signal >= 0 && trace(PTRACE_DETACH, process, signal) == 0) return true;
  int status = 0;
  const pid_t waited = waitpid(process, &status, WNOHANG | __WALL);
  // It was killed, and this told its parent.
  if (waited < 0) return errno == ECHILD;
  return waited == process && !WIFSTOPPED(status);
}

void TraceStop::settle() { std::erase_if(leaving_, has_left); }

void TraceStop::reap_killed() {
  std::erase_if(stopped_, [](pid_t process) {
    siginfo_t ended{};
    const auto id = static_cast<id_t>(process);
    const bool is_gone = waitid(P_PID, id, &ended, WEXITED | WNOHANG | __WALL) != 0;
    // Its stop is told, too.
    if (is_gone || (ended.si_pid == process && ended.si_code != CLD_TRAPPED)) return true;
    // A signal came before the stop: it is for the process, which then stops.
    const int signal = signal_to_deliver(process);
    if (signal <= 0) return false;
    trace(PTRACE_INTERRUPT, process, 0);
    trace(PTRACE_CONT, process, signal);
    return false;
  });
}

}  // namespace sluice

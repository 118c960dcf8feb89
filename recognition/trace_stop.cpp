#include "recognition/trace_stop.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "recognition/process_facts.h"

namespace sluice {
namespace {

/// In the destructor; what is in the kernel for longer goes on when this process ends.
constexpr int kSettleRounds = 50, kSettleRound = 2;  ///< ms

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  DIR* const folder = opendir(("/proc/" + std::to_string(process) + "/task").c_str());
  if (!folder) return threads;
  while (const dirent* entry = readdir(folder)) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread > 0) threads.push_back(thread);
  }
  closedir(folder);
  return threads;
}

/// 0 where it has stopped for this tracer, else an error.
int trace(__ptrace_request request, pid_t thread, int signal) {
  const auto data = static_cast<std::uintptr_t>(signal);
  return ptrace(request, thread, nullptr, data) == 0 ? 0 : errno;
}

/// The signal with which a stopped thread is to go on: that of which it was about to hear, else 0.
/// -1 if it has not stopped.
int signal_to_deliver(pid_t thread) {
  siginfo_t info{};
  if (ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) != 0) return errno == ESRCH ? -1 : 0;
  constexpr int kEvent = 8;  ///< Bits of the code above which an event is.
  return info.si_code >> kEvent == PTRACE_EVENT_STOP ? 0 : info.si_signo;
}

}  // namespace

TraceStop::~TraceStop() {
  while (!stopped_.empty()) go_on(stopped_.begin()->first);
  for (int round = 0; round < kSettleRounds && is_settling(); ++round) {
    poll(nullptr, 0, kSettleRound);
    settle();
  }
}

TraceStop::Seized TraceStop::seize(pid_t process, pid_t thread) {
  if (trace(PTRACE_SEIZE, thread, 0) == 0) {
    trace(PTRACE_INTERRUPT, thread, 0);
    return Seized::yes;
  }
  return is_thread_over(process, thread) ? Seized::over : Seized::refused;
}

bool TraceStop::stop(pid_t process) {
  if (stopped_.contains(process)) return true;
  std::set<pid_t> threads, seen;
  // A thread that is being interrupted starts no other, so a round without new ones is the last.
  bool any = true;
  while (any) {
    any = false;
    for (const pid_t thread : threads_of(process)) {
      if (!seen.insert(thread).second) continue;
      any = true;
      // It may not have left since the last time.
      const Seized seized = leaving_.erase(thread) > 0 ? Seized::yes : seize(process, thread);
      if (seized == Seized::yes) threads.insert(thread);
      if (seized != Seized::refused) continue;
      stopped_[process] = threads;
      go_on(process);
      return false;
    }
  }
  if (threads.empty()) return false;
  stopped_[process] = threads;
  return true;
}

void TraceStop::go_on(pid_t process) {
  const auto found = stopped_.find(process);
  if (found == stopped_.end()) return;
  leaving_.merge(found->second);
  stopped_.erase(found);
  settle();
}

bool TraceStop::has_left(pid_t thread) {
  const int signal = signal_to_deliver(thread);
  if (signal >= 0 && trace(PTRACE_DETACH, thread, signal) == 0) return true;
  int status = 0;
  const pid_t waited = waitpid(thread, &status, WNOHANG | __WALL);
  // Another thread has executed a program, or it was killed and this told its parent.
  if (waited < 0) return errno == ECHILD;
  return waited == thread && !WIFSTOPPED(status);
}

void TraceStop::settle() { std::erase_if(leaving_, has_left); }

void TraceStop::reap_killed() {
  for (auto& [process, threads] : stopped_) {
    std::erase_if(threads, [](pid_t thread) {
      siginfo_t ended{};
      const auto id = static_cast<id_t>(thread);
      const bool is_gone = waitid(P_PID, id, &ended, WEXITED | WNOHANG | __WALL) != 0;
      // Its stop is told, too.
      if (is_gone || (ended.si_pid == thread && ended.si_code != CLD_TRAPPED)) return true;
      // A signal came before the stop: it is for the process, which then stops.
      const int signal = signal_to_deliver(thread);
      if (signal <= 0) return false;
      trace(PTRACE_INTERRUPT, thread, 0);
      trace(PTRACE_CONT, thread, signal);
      return false;
    });
  }
}

}  // namespace sluice

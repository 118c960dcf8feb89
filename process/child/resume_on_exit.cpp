#include "process/child/resume_on_exit.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/blocked_signals.h"
#include "process/child/guard_process.h"

namespace sluice {
namespace {

constexpr int kStops = 0, kGoesOn = 1;

struct Message {
  pid_t process;
  int what;
  std::uint64_t started;
};

/// Sends SIGCONT if the pid still belongs to that process.
void resume_process(const ProcessIdentity& process) {
  const auto now = read_process(process.first);
  if (now && now->started == process.second) kill(process.first, SIGCONT);
}

[[noreturn]] void guard(int inherited) {
  const int socket = become_guard({inherited}).front();
  std::set<ProcessIdentity> stopped;
  Message message{};
  while (recv(socket, &message, sizeof message, 0) == sizeof message) {
    const ProcessIdentity process{message.process, message.started};
    message.what == kStops ? void(stopped.insert(process)) : void(stopped.erase(process));
  }
  for (const ProcessIdentity& each : stopped) resume_process(each);
  _exit(0);
}

}  // namespace

ResumeOnExit::ResumeOnExit() { start(); }

ResumeOnExit::~ResumeOnExit() {
  for (const ProcessIdentity& each : stopped_) resume_process(each);
}

void ResumeOnExit::start() {
  socket_.reset();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  const BlockedSignals blocked;
  const pid_t between = fork();
  if (between == 0) {
    if (fork() != 0) _exit(0);
    close(ends[0]);
    guard(ends[1]);
  }
  close(ends[1]);
  socket_.reset(ends[0]);
  if (between > 0) waitpid(between, nullptr, 0);
}

bool ResumeOnExit::tell(const ProcessIdentity& process, int what) const {
  const Message message{process.first, what, process.second};
  return send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

bool ResumeOnExit::tell_all() const {
  return std::ranges::all_of(stopped_, [&](const auto& each) { return tell(each, kStops); });
}

/// The guard never sends anything: all but "nothing yet" means that it is gone.
bool ResumeOnExit::is_guarded() const {
  char nothing = 0;
  return recv(socket_.get(), &nothing, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

void ResumeOnExit::renew() {
  if (stopped_.empty() || is_guarded()) return;
  start();
  tell_all();
}

bool ResumeOnExit::will_stop(const ProcessIdentity& process) {
  stopped_.insert(process);
  if (tell(process, kStops)) return true;
  start();  // The guard was killed.
  if (tell_all()) return true;
  stopped_.erase(process);
  return false;
}

bool ResumeOnExit::stop(const std::vector<ProcessFacts>& processes,
                        std::set<ProcessIdentity>& stopped) {
  bool any = false;
  for (const ProcessFacts& each : processes) {
    const ProcessIdentity process{each.pid, each.started};
    if (!each.is_alive() || each.is_stopped() || !will_stop(process)) continue;
    stopped.insert(process);
    any = kill(each.pid, SIGSTOP) == 0 || any;
  }
  return any;
}

void ResumeOnExit::resume(const ProcessIdentity& process) {
  resume_process(process);
  forget(process);
}

void ResumeOnExit::forget(const ProcessIdentity& process) {
  if (stopped_.erase(process) > 0) tell(process, kGoesOn);
}

}  // namespace sluice

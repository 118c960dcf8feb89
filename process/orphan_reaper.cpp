#include "process/orphan_reaper.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/blocked_signals.h"
#include "base/process_table.h"
#include "process/cgroup/left_behind.h"
#include "process/cgroup/tree.h"
#include "process/child/guard_process.h"
#include "process/child/job_processes.h"

namespace sluice {
namespace {

enum class Message : char { be_graceful, goodbye };

using Leaders = std::vector<JobProcesses>;

/// The remaining processes of the jobs: the first ones, their descendants, and any process that
/// carries the marker.
std::vector<ProcessFacts> left_over(Leaders& leaders, const std::string& marker) {
  const std::vector<ProcessFacts> all = read_processes();
  std::vector<ProcessFacts> found;
  for (JobProcesses& processes : leaders) {
    for (const ProcessFacts& each : processes.alive(all)) found.push_back(each);
  }
  std::vector<pid_t> marked;
  for (const ProcessFacts& each : all) {
    if (each.is_alive() && began_with(each.pid, marker)) marked.push_back(each.pid);
  }
  for (const ProcessFacts& each : descendants_of(all, marked)) {
    if (each.is_alive()) found.push_back(each);
  }
  return found;
}

bool anything_runs(const GuardedWorld& world, Leaders& leaders) {
  for (const std::string& home : world.homes) {
    for (const std::string& job : groups_below(home)) {
      if (!job.ends_with("/self") && !processes_in(job).empty()) return true;
    }
  }
  return !left_over(leaders, world.marker).empty();
}

void thaw_all(const GuardedWorld& world, Leaders& leaders) {
  for (const std::string& home : world.homes) {
    for (const std::string& job : groups_below(home)) thaw_group(job);
  }
  signal_each(left_over(leaders, world.marker), SIGCONT);
}

/// Gives the jobs, which have received SIGTERM, time to end by themselves.
void end_gracefully(const GuardedWorld& world, Leaders& leaders) {
  constexpr int kAttempts = 100;
  constexpr int kPauseMilliseconds = 20;
  thaw_all(world, leaders);
  for (int attempt = 0; attempt < kAttempts && anything_runs(world, leaders); ++attempt) {
    poll(nullptr, 0, kPauseMilliseconds);
  }
}

/// Stops everything before killing it, so that no part of a job sees another part end.
void clear_up(const GuardedWorld& world, Leaders& leaders) {
  constexpr int kMostAttempts = 1000;
  for (const std::string& home : world.homes) remove_home(home);
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::vector<ProcessFacts> left = left_over(leaders, world.marker);
    if (left.empty()) return;
    const auto is_going = [](const ProcessFacts& each) { return !each.is_stopped(); };
    const bool any_goes = std::any_of(left.begin(), left.end(), is_going);
    signal_each(left, any_goes && attempt < 3 ? SIGSTOP : SIGKILL);
    if (!any_goes || attempt >= 3) poll(nullptr, 0, 2);
  }
}

[[noreturn]] void guard(int inherited, const GuardedWorld& world, const SharedLeaders& shared) {
  std::vector<int> kept = world.locks;
  kept.push_back(inherited);
  const int socket = become_guard(std::move(kept)).back();
  bool is_graceful = false;
  Message message{};
  while (recv(socket, &message, sizeof message, 0) == sizeof message) {
    if (message == Message::goodbye) _exit(0);
    is_graceful = true;
  }
  Leaders leaders;
  for (const pid_t leader : shared.all()) leaders.emplace_back(leader);
  if (is_graceful) end_gracefully(world, leaders);
  clear_up(world, leaders);
  _exit(0);
}

void tell(int socket, Message message) {
  [[maybe_unused]] const ssize_t sent = send(socket, &message, sizeof message, MSG_NOSIGNAL);
}

}  // namespace

OrphanReaper::OrphanReaper(GuardedWorld world) : world_(std::move(world)) { start(); }

void OrphanReaper::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  // A signal from the terminal may arrive before the guard has left its session.
  const BlockedSignals blocked;
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    guard(ends[1], world_, leaders_);
  }
  close(ends[1]);
  socket_ = ends[0];
  if (is_graceful_) tell(socket_, Message::be_graceful);
}

OrphanReaper::~OrphanReaper() {
  tell(socket_, Message::goodbye);
  close(socket_);
  if (pid_ > 0) waitpid(pid_, nullptr, waits_ ? 0 : WNOHANG);
}

void OrphanReaper::be_graceful() {
  if (!std::exchange(is_graceful_, true)) tell(socket_, Message::be_graceful);
}

void OrphanReaper::replace() {
  close(std::exchange(socket_, -1));
  start();
}

}  // namespace sluice

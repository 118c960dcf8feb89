#include "recognition/process_stopper.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "base/descriptors.h"
#include "base/process_table.h"
#include "costmodel/real_command.h"

namespace sluice {
namespace {

std::string program_of_process(pid_t process) {
  const auto command = read_command(process);
  std::string name = command.empty() ? std::string() : base_name(command[0]);
  if (name.starts_with('-')) name.erase(0, 1);
  return name;
}

/// Of the process that has the number now; none before Linux 5.3.
class ProcessDescriptor {
 public:
  explicit ProcessDescriptor(pid_t process) : process_(process), descriptor_(open_pidfd(process)) {}

  bool stop() const {
    if (!descriptor_) return kill(process_, SIGSTOP) == 0;
    return syscall(SYS_pidfd_send_signal, descriptor_.get(), SIGSTOP, nullptr, 0) == 0;
  }

 private:
  pid_t process_;
  Descriptor descriptor_;
};

}  // namespace

bool is_stop_seen(const StopFacts& facts) {
  constexpr auto follow = std::to_array<std::string_view>(
      {"sudo", "su", "runuser", "doas", "script", "nsenter", "newgrp", "sg"});
  constexpr auto shells =
      std::to_array<std::string_view>({"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish"});
  if (holds(follow, facts.parent_program)) return true;
  return facts.left_parents_group && holds(shells, facts.parent_program);
}

bool ProcessStopper::hold(pid_t process) {
  const auto facts = read_process(process);
  const auto signals = read_signal_facts(process);
  if (!facts || !signals || !facts->is_alive()) return false;
  // It may be one that this process has let go just now.
  if (signals->tracer != 0 && signals->tracer != getpid()) return false;
  if (method_ == StopMethod::best && hold_by_trace(process, facts->started)) return true;
  return hold_by_signal(process, facts->started);
}

bool ProcessStopper::hold_by_trace(pid_t process, std::uint64_t started) {
  if (!traced_.stop(process)) return false;
  const auto facts = read_process(process);
  if (!facts || facts->started != started) {
    traced_.go_on(process);
    return false;
  }
  held_[process] = {started, true};
  return true;
}

bool ProcessStopper::hold_by_signal(pid_t process, std::uint64_t started) {
  // Before its facts are read, so that the stop is for the process that has them.
  const ProcessDescriptor descriptor(process);
  const auto facts = read_process(process);
  if (!facts || !facts->is_alive() || facts->is_stopped()) return false;
  if (facts->started != started) return false;  // Another process has its number now.
  const auto parent = read_process(facts->parent);
  const StopFacts stop{program_of_process(facts->parent), parent && parent->group != facts->group};
  if (is_stop_seen(stop)) return false;
  if (!guard_) guard_.emplace();
  const ProcessIdentity identity{process, facts->started};
  if (!guard_->will_stop(identity)) return false;
  if (!descriptor.stop()) {
    guard_->forget(identity);
    return false;
  }
  held_[process] = {facts->started, false};
  return true;
}

void ProcessStopper::go_on(pid_t process) {
  const auto found = held_.find(process);
  if (found == held_.end()) return;
  const Held held = found->second;
  held_.erase(found);
  if (held.is_traced) return traced_.go_on(process);
  guard_->resume({process, held.started});
}

void ProcessStopper::poll() {
  if (guard_) guard_->renew();
  traced_.reap_killed();
}

ProcessStopper::State ProcessStopper::state_of(pid_t process) const {
  const auto found = held_.find(process);
  const auto facts = read_process(process);
  if (found == held_.end() || !facts || !facts->is_alive() ||
      facts->started != found->second.started) {
    return State::gone;
  }
  const auto signals = read_signal_facts(process);
  if (signals && is_ending(*signals)) return State::ending;
  // Only its tracer lets it go on.
  if (found->second.is_traced) {
    return TraceStop::has_more_threads(process) ? State::running : State::held;
  }
  return facts->is_stopped() ? State::held : State::running;
}

}  // namespace sluice

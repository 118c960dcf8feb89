#include "launch/tree_suspension.h"

#include <signal.h>

namespace sluice {
namespace {

/// Until no process is left that started while the others were being stopped.
constexpr int kMostRounds = 8;

}  // namespace

void TreeSuspension::stop() {
  if (!guard_) guard_.emplace();
  guard_->renew();
  for (int round = 0; round < kMostRounds && stop_those_going(); ++round) {
  }
}

/// Returns whether there were any.
bool TreeSuspension::stop_those_going() {
  bool any = false;
  for (const ProcessFacts& each : processes_.alive(read_processes())) {
    const ProcessIdentity process{each.pid, each.started};
    if (each.is_stopped() || !guard_->will_stop(process)) continue;
    if (kill(each.pid, SIGSTOP) != 0) continue;
    stopped_.push_back(process);
    any = true;
  }
  return any;
}

void TreeSuspension::go_on() {
  for (const ProcessIdentity& process : stopped_) {
    resume_process(process);
    guard_->forget(process);
  }
  stopped_.clear();
}

}  // namespace sluice

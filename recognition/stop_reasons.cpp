#include "recognition/stop_reasons.h"

namespace sluice {

bool StopReasons::hold(pid_t process) {
  const bool is_held = stopper_.holds(process) || stopper_.hold(process);
  is_held ? void(waiting_.insert(process)) : void(waiting_.erase(process));
  return is_held;
}

void StopReasons::go_on(pid_t process) {
  waiting_.erase(process);
  if (!suspended_.contains(process)) stopper_.go_on(process);
}

void StopReasons::suspend(Ticket run, const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    if (stopper_.holds(process) || stopper_.hold(process)) suspended_.try_emplace(process, run);
  }
}

void StopReasons::started(pid_t process, pid_t parent) {
  const auto found = suspended_.find(parent);
  if (found != suspended_.end()) suspend(found->second, {process});
}

void StopReasons::resume(Ticket run) {
  std::erase_if(suspended_, [&](const auto& each) {
    if (each.second != run) return false;
    if (!waiting_.contains(each.first)) stopper_.go_on(each.first);
    return true;
  });
}

void StopReasons::gone(pid_t process) {
  waiting_.erase(process);
  suspended_.erase(process);
  stopper_.go_on(process);
}

bool StopReasons::hold_again(pid_t process) {
  stopper_.go_on(process);
  return stopper_.hold(process);
}

}  // namespace sluice

#include "process/child/tree_cpu.h"

#include <time.h>

#include <algorithm>

#include "base/seconds.h"

namespace sluice {

Duration time_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return duration_of(now);
}

std::uint64_t ticks_since_boot() {
  return static_cast<std::uint64_t>(time_since_boot() / tick_of_this_machine());
}

TreeCpu::ByNumber TreeCpu::by_number(const std::vector<ProcessFacts>& members) {
  ByNumber result;
  for (const ProcessFacts& each : members) {
    result[each.pid] = {each.started, each.parent, each.cpu};
  }
  return result;
}

std::vector<pid_t> TreeCpu::pids() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, seen] : seen_) pids.push_back(pid);
  return pids;
}

bool TreeCpu::knows(const ProcessFacts& process) const {
  const auto found = seen_.find(process.pid);
  return found != seen_.end() && found->second.started == process.started;
}

/// The nearest ancestor of an ended process that is left; 0 if there is none.
pid_t TreeCpu::heir_of(pid_t ended, const ByNumber& now) const {
  auto at = seen_.find(ended);
  // A table read while processes came and went may have cycles.
  for (std::size_t steps = 0; at != seen_.end() && steps < seen_.size(); ++steps) {
    at = seen_.find(at->second.parent);
    if (at == seen_.end()) return 0;
    const auto left = now.find(at->first);
    if (left != now.end() && left->second.started == at->second.started) return at->first;
  }
  return 0;
}

Duration TreeCpu::growth_of(pid_t pid, const Seen& now, Duration inherited) const {
  const auto before = seen_.find(pid);
  if (before != seen_.end() && before->second.started == now.started) {
    return std::max(Duration{0}, now.cpu - before->second.cpu - inherited);
  }
  return now.started >= began_ ? now.cpu : Duration{0};
}

TreeCpu::Growth TreeCpu::sample(const std::vector<ProcessFacts>& members) {
  ByNumber now = by_number(members);
  Growth growth;
  std::map<pid_t, Duration> inherited;
  for (const auto& [pid, was] : seen_) {
    const auto same = now.find(pid);
    if (same != now.end() && same->second.started == was.started) continue;
    const pid_t heir = heir_of(pid, now);
    if (heir == 0) ++growth.vanished;
    if (heir != 0) inherited[heir] = bounded_sum(inherited[heir], was.cpu);
  }
  for (const auto& [pid, is] : now) {
    const auto ended = inherited.find(pid);
    const Duration taken = ended == inherited.end() ? Duration{0} : ended->second;
    growth.cpu = bounded_sum(growth.cpu, growth_of(pid, is, taken));
  }
  seen_ = std::move(now);
  return growth;
}

}  // namespace sluice

#include "base/process_list.h"

#include <chrono>
#include <optional>
#include <utility>

namespace sluice {
namespace {

constexpr Duration kWholeEvery = std::chrono::seconds(4);

}  // namespace

std::vector<ProcessFacts> ProcessList::read(const std::vector<pid_t>& followed, TimePoint now) {
  if (known_.empty() || now - whole_at_ >= kWholeEvery) {
    known_.clear();
    whole_at_ = now;
  }
  for (const pid_t pid : followed) known_.erase(pid);
  std::unordered_map<pid_t, ProcessFacts> current;
  std::vector<ProcessFacts> processes;
  for (const pid_t pid : list_processes()) {
    const auto known = known_.find(pid);
    const auto facts = known == known_.end() ? read_process(pid) : std::optional(known->second);
    if (!facts) continue;
    processes.push_back(*facts);
    current.emplace(pid, *facts);
  }
  known_ = std::move(current);
  return processes;
}

}  // namespace sluice

#include "cli/replay/late_events.h"

#include <algorithm>

namespace sluice::cli {

std::vector<const ScenarioEvent*> LateEvents::extract(const std::string& job) {
  auto found = waiting_.extract(job);
  return found.empty() ? std::vector<const ScenarioEvent*>{} : std::move(found.mapped());
}

std::vector<std::pair<const ScenarioEvent*, std::string>> LateEvents::left() const {
  std::vector<std::pair<const ScenarioEvent*, std::string>> left;
  for (const auto& [job, events] : waiting_) {
    for (const ScenarioEvent* event : events) left.emplace_back(event, job);
  }
  // All are elements of one vector.
  std::ranges::sort(left);
  return left;
}

}  // namespace sluice::cli

#include "cli/replay/items_in_use.h"

#include <algorithm>

namespace sluice::cli {

std::vector<HeldItems> ItemsInUse::items_for(const JobRequest& job) {
  std::vector<HeldItems> held;
  for (const auto& [manager, resource] : options_.resources) {
    if (resource.kind != ResourceOptions::Kind::discrete) continue;
    std::size_t& given = given_[manager];
    const auto left = static_cast<std::int64_t>(resource.items.size() - given);
    const std::int64_t count = std::min(demand(job, manager, resource), left);
    if (count <= 0) continue;
    const auto first = resource.items.begin() + static_cast<std::ptrdiff_t>(given);
    held.push_back({manager, {first, first + count}});
    given += static_cast<std::size_t>(count);
  }
  return held;
}

std::int64_t ItemsInUse::demand(const JobRequest& job, const std::string& manager,
                                const ResourceOptions& resource) const {
  const auto own = std::ranges::find(job.resources, manager, &ResourceDemand::manager);
  if (own != job.resources.end()) return own->amount;
  auto queue = options_.queues.find(job.queue);
  // A branch has the managers of the queue that it is one of.
  if (queue == options_.queues.end()) {
    queue = options_.queues.find(job.queue.substr(0, job.queue.rfind('/')));
  }
  const bool needs_it =
      queue != options_.queues.end() && std::ranges::count(queue->second.resources, manager) > 0;
  return needs_it ? resource.consumption.value_or(0) : 0;
}

}  // namespace sluice::cli

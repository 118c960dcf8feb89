#include "cli/replay/items_in_use.h"

#include <algorithm>
#include <utility>

namespace sluice::cli {

std::vector<HeldItems> ItemsInUse::items_for(const JobRequest& job) {
  std::vector<HeldItems> held;
  for (const auto& [manager, resource] : options_.resources) {
    if (resource.kind != ResourceOptions::Kind::discrete) continue;
    HeldItems items{manager, {}};
    std::size_t& given = given_[manager];
    for (std::int64_t left = demand(job, manager, resource); left > 0; --left) {
      if (given < resource.items.size()) items.items.push_back(resource.items[given++]);
    }
    if (!items.items.empty()) held.push_back(std::move(items));
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

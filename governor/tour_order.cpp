#include "governor/tour_order.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "governor/books/queue_walk.h"

namespace sluice {

std::vector<std::uint32_t> tour_order(const CoreState& core, TimePoint now) {
  struct First {
    TimePoint oldest;         ///< Of the queue and its branches together.
    std::string_view parent;  ///< Name of the queue.
    int minus_priority = 0;
    std::size_t running = 0;
    TimePoint arrived;
    std::string_view name;
    std::uint32_t queue = 0;

    auto operator<=>(const First&) const = default;
  };
  std::vector<First> firsts;
  std::vector<TimePoint> oldest(core.queues.size(), TimePoint::max());
  for (std::uint32_t queue = 0; queue < core.queues.size(); ++queue) {
    if (core.pending->size_of(queue) == 0) continue;
    QueueWalk walk(*core.pending, queue, now);
    const std::uint32_t first = *walk.next();
    const PendingJob& job = (*core.pending)[first];
    const JobQueue& stands = core.queues[queue];
    oldest[stands.parent] = std::min(oldest[stands.parent], job.arrived);
    firsts.push_back({job.arrived, core.queues[stands.parent].name, -job.priority, stands.running,
                      job.arrived, stands.name, queue});
  }
  for (First& first : firsts) first.oldest = oldest[core.queues[first.queue].parent];
  std::sort(firsts.begin(), firsts.end());
  std::vector<std::uint32_t> order;
  for (const First& first : firsts) order.push_back(first.queue);
  return order;
}

}  // namespace sluice

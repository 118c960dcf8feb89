#include "governor/books/queues.h"

#include <algorithm>
#include <iterator>

namespace sluice {

std::string_view KeptNames::keep(std::string_view name) {
  const auto found = names_.find(name);
  return found != names_.end() ? *found : *names_.emplace(name).first;
}

void Queues::configure(const QueueingOptions& options, const QueueingOptions& before,
                       KeptNames& names) {
  for (JobQueue& queue : queues_) queue.there = false;
  for (const auto& [name, wanted] : options.queues) {
    auto found = std::ranges::find(queues_, std::string_view(name), &JobQueue::name);
    if (found == queues_.end()) {
      queues_.emplace_back().name = names.keep(name);
      found = std::prev(queues_.end());
    }
    const auto old = before.queues.find(name);
    const bool changed = old == before.queues.end() || old->second.paused != wanted.paused;
    if (changed) found->paused = wanted.paused;
    found->options = wanted;
    found->there = true;
  }
  const bool has_default = options.queues.contains("default");
  default_ = number_of(has_default ? "default" : options.queues.begin()->first);
}

std::uint32_t Queues::number_of(std::string_view name) const {
  const auto found = std::ranges::find_if(
      queues_, [&](const JobQueue& queue) { return queue.there && queue.name == name; });
  return static_cast<std::uint32_t>(found - queues_.begin());
}

}  // namespace sluice

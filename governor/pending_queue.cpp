#include "governor/pending_queue.h"

namespace sluice {

void PendingQueue::add(PendingJob job) {
  const JobId id = job.id;
  cost_ += job.cost;
  order_.emplace(-std::int64_t{job.request.priority}, id);
  by_arrival_.emplace(id, std::move(job));
}

std::optional<PendingJob> PendingQueue::remove(JobId id) {
  const auto found = by_arrival_.find(id);
  if (found == by_arrival_.end()) return std::nullopt;
  PendingJob job = std::move(found->second);
  by_arrival_.erase(found);
  order_.erase({-std::int64_t{job.request.priority}, id});
  cost_ -= job.cost;
  return job;
}

const PendingJob* PendingQueue::first() const {
  return order_.empty() ? nullptr : &by_arrival_.at(order_.begin()->second);
}

const PendingJob* PendingQueue::find(JobId id) const {
  const auto found = by_arrival_.find(id);
  return found == by_arrival_.end() ? nullptr : &found->second;
}

const PendingJob* PendingQueue::oldest() const {
  return by_arrival_.empty() ? nullptr : &by_arrival_.begin()->second;
}

}  // namespace sluice

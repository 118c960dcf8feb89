#include "governor/pending_queue.h"

namespace sluice {

void PendingQueue::add(PendingJob job) {
  const JobId id = job.id;
  cost_ += job.cost;
  lines_[-std::int64_t{job.request.priority.value_or(0)}].append(id);
  by_arrival_.emplace(id, std::move(job));
}

std::optional<PendingJob> PendingQueue::remove(JobId id) {
  const auto found = by_arrival_.find(id);
  if (found == by_arrival_.end()) return std::nullopt;
  PendingJob job = std::move(found->second);
  by_arrival_.erase(found);
  const auto line = lines_.find(-std::int64_t{job.request.priority.value_or(0)});
  line->second.remove(id);
  if (line->second.empty()) lines_.erase(line);
  cost_ -= job.cost;
  return job;
}

const PendingJob* PendingQueue::first() const {
  return lines_.empty() ? nullptr : &by_arrival_.at(lines_.begin()->second.first());
}

std::size_t PendingQueue::place(const PendingJob& job) const {
  const auto own = lines_.find(-std::int64_t{job.request.priority.value_or(0)});
  std::size_t before = 0;
  for (auto line = lines_.begin(); line != own; ++line) before += line->second.size();
  return before + own->second.place(job.id);
}

const PendingJob* PendingQueue::find(JobId id) const {
  const auto found = by_arrival_.find(id);
  return found == by_arrival_.end() ? nullptr : &found->second;
}

const PendingJob* PendingQueue::oldest() const {
  return by_arrival_.empty() ? nullptr : &by_arrival_.begin()->second;
}

}  // namespace sluice

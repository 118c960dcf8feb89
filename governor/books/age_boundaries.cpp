#include "governor/books/age_boundaries.h"

#include <algorithm>

namespace sluice {

void AgeBoundaries::rebuild(std::size_t ticks, const PendingQueue& pending, TimePoint now) {
  boundaries_.assign(ticks, {TimePoint::min(), 0});
  refresh(pending, now);
}

void AgeBoundaries::refresh(const PendingQueue& pending, TimePoint now) {
  for (std::size_t tick = 0; tick < boundaries_.size(); ++tick) {
    if (boundaries_[tick].at <= now) boundaries_[tick] = after(tick + 1, pending, now);
  }
}

void AgeBoundaries::add_job(const PendingJob& job, Duration tick) {
  for (std::size_t at = 0; at < boundaries_.size(); ++at) {
    if (boundaries_[at].at != TimePoint::max()) continue;
    boundaries_[at] = {job.arrived + tick * static_cast<std::int64_t>(at + 1), job.arrival};
  }
}

void AgeBoundaries::forget(const PendingJob& job) {
  for (Boundary& boundary : boundaries_) {
    if (boundary.arrival == job.arrival) boundary = {TimePoint::min(), 0};
  }
}

AgeBoundaries::Boundary AgeBoundaries::after(std::size_t ticks, const PendingQueue& pending,
                                             TimePoint now) {
  const Duration age = pending.ranking().tick * static_cast<std::int64_t>(ticks);
  const ArrivalList& jobs = pending.by_arrival();
  const auto at = jobs.partition_point(
      [&](const ArrivalList::Item& item) { return pending[item.slot].arrived + age <= now; });
  if (jobs.at_end(at)) return {TimePoint::max(), 0};
  const ArrivalList::Item& item = jobs.at(at);
  return {pending[item.slot].arrived + age, item.arrival};
}

std::optional<TimePoint> AgeBoundaries::next(const PendingQueue& pending, TimePoint now) const {
  TimePoint next = TimePoint::max();
  for (std::size_t tick = 0; tick < boundaries_.size(); ++tick) {
    const bool known = boundaries_[tick].at > now;
    next = std::min(next, known ? boundaries_[tick].at : after(tick + 1, pending, now).at);
  }
  return next == TimePoint::max() ? std::nullopt : std::optional(next);
}

}  // namespace sluice

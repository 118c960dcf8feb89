#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "governor/arrival_line.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// A job that waits.
struct PendingJob {
  JobId id;
  JobRequest request;
  Points cost;
  TimePoint arrived;
};

/// The jobs that wait, in the order in which they are to start: priority (high first), then
/// arrival. A total order, since arrival numbers are unique.
class PendingQueue {
 public:
  /// Arrivals are added in order: `job.id` must be larger than all before.
  void add(PendingJob job);

  /// Takes the job out; none if it is not there.
  std::optional<PendingJob> remove(JobId id);

  /// The first in order, or null.
  const PendingJob* first() const;

  /// The job, or null.
  const PendingJob* find(JobId id) const;

  /// The job that came first of all, whatever its priority, or null.
  const PendingJob* oldest() const;

  /// 1 for the first in order. The job must be there.
  std::size_t place(const PendingJob& job) const;

  /// Calls `visit(job)` for every job in order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [priority, line] : lines_) {
      line.for_each([&](JobId id) { visit(by_arrival_.at(id)); });
    }
  }

  std::size_t size() const { return by_arrival_.size(); }
  bool empty() const { return by_arrival_.empty(); }
  Points cost() const { return cost_; }

 private:
  std::map<std::int64_t, ArrivalLine> lines_;  ///< By minus the priority; none is empty.
  std::map<JobId, PendingJob> by_arrival_;
  Points cost_;
};

}  // namespace sluice

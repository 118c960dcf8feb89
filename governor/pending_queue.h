#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

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
  void add(PendingJob job);

  /// Takes the job out; none if it is not there.
  std::optional<PendingJob> remove(JobId id);

  /// The first in order, or null.
  const PendingJob* first() const;

  /// The job, or null.
  const PendingJob* find(JobId id) const;

  /// The job that came first of all, whatever its priority, or null.
  const PendingJob* oldest() const;

  /// Calls `visit(job)` for every job in order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Key& key : order_) visit(by_arrival_.at(key.second));
  }

  std::size_t size() const { return by_arrival_.size(); }
  bool empty() const { return by_arrival_.empty(); }
  Points cost() const { return cost_; }

 private:
  using Key = std::pair<std::int64_t, JobId>;  // minus the priority, arrival

  std::set<Key> order_;
  std::map<JobId, PendingJob> by_arrival_;
  Points cost_;
};

}  // namespace sluice

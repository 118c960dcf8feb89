#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "governor/books/pending_queue.h"
#include "sluice/units.h"

namespace sluice {

/// When the age of a pending job next reaches each number of ticks, up to saturation. Not
/// thread-safe.
class AgeBoundaries {
 public:
  void rebuild(std::size_t ticks, const PendingQueue& pending, TimePoint now);
  /// Call it before a pass.
  void refresh(const PendingQueue& pending, TimePoint now);
  void add_job(const PendingJob& job, Duration tick);
  void forget(const PendingJob& job);
  /// The first after `now`; nullopt if there is none.
  std::optional<TimePoint> next(const PendingQueue& pending, TimePoint now) const;

 private:
  /// When the next job reaches an age, and its arrival number. In the past if unknown.
  struct Boundary {
    TimePoint at;
    std::uint64_t arrival = 0;
  };

  static Boundary after(std::size_t ticks, const PendingQueue& pending, TimePoint now);

  std::vector<Boundary> boundaries_;  ///< By tick, from 1.
};

}  // namespace sluice

#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "governor/books/pending_job.h"
#include "governor/books/strand.h"
#include "sluice/job.h"

namespace sluice {

/// A pending job that comes to stand elsewhere, before or after the order number `target`.
struct JobMove {
  std::uint32_t slot = 0;
  JobChange::Position::Where where{};
  OrderNumber target;  ///< Read for `before` and `after` only.
};

/// The order number that the job then has among those of the tiers, its own if it stands there
/// already; nullopt if no number is left there. `jobs`: by slot. O(log) for each strand of jobs
/// that were not moved, whatever number of jobs these have. Pure.
std::optional<OrderNumber> number_of_move(const Tiers& tiers, const std::deque<PendingJob>& jobs,
                                          const JobMove& move);

}  // namespace sluice

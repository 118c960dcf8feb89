#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>

#include "governor/books/order_number.h"
#include "sluice/queueing.h"
#include "sluice/units.h"

namespace sluice {

/// How jobs are ranked: the settings common to all jobs.
struct Ranking {
  ContentionMode mode = ContentionMode::order;
  Duration tick = std::chrono::seconds(30);
  std::optional<int> aging_ticks = 30;
  bool boosts_priority = false;

  /// Whole ticks since arrival, at least 0.
  std::int64_t age(TimePoint arrived, TimePoint now) const;
  bool is_saturated(TimePoint arrived, TimePoint now) const;
  /// SPV x (K - age), at least 0: 10 x K times the weight. Without aging, SPV itself.
  std::int64_t weight(int spv, TimePoint arrived, TimePoint now) const;
};

/// A job's position in the order of its queue; lower goes first.
struct Rank {
  std::int64_t unsaturated = 1;  ///< 0 if a saturated age lifts the job above priorities.
  std::int64_t minus_priority = 0;
  std::int64_t weight = 0;
  OrderNumber order;
  std::uint64_t arrival = 0;  ///< Breaks ties between equal order numbers.

  auto operator<=>(const Rank&) const = default;
};

}  // namespace sluice

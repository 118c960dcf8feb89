#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace sluice {

/// A job's position among those of equal weight: its arrival number, unless it was moved. `part`
/// leaves room between any two.
struct OrderNumber {
  std::int64_t whole = 0;
  std::uint64_t part = 0;

  auto operator<=>(const OrderNumber&) const = default;
};

/// A number between the two; nullopt if none is left there. Without `below`, one before `above`;
/// without `above`, one behind `below` and before all jobs to come. At least one of them must be
/// given.
std::optional<OrderNumber> number_between(const std::optional<OrderNumber>& below,
                                          std::optional<OrderNumber> above);

}  // namespace sluice

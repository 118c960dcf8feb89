#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace sluice {

/// Monotonic time. Decisions take `now` as an argument and never read the clock.
using Clock = std::chrono::steady_clock;
using TimePoint = std::chrono::time_point<Clock, std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// The abstract unit of cost and of the window: 10 points are about one busy core.
/// Source: "Zuul executor congestion control", mailing-list post of 2018-01-16.
struct Points {
  std::int64_t value = 0;

  auto operator<=>(const Points&) const = default;
  constexpr Points& operator+=(Points other) { return value += other.value, *this; }
  constexpr Points& operator-=(Points other) { return value -= other.value, *this; }
  friend constexpr Points operator+(Points a, Points b) { return a += b; }
  friend constexpr Points operator-(Points a, Points b) { return a -= b; }
};

/// The largest window, usage or cost accepted: 2^24 - 1 points, about 1.6 million cores.
inline constexpr Points kMostPoints{(1 << 24) - 1};

/// An amount of memory or disk, in bytes.
struct Bytes {
  std::uint64_t value = 0;

  auto operator<=>(const Bytes&) const = default;
};

/// Identifies a job for the life of a governor. Numbers follow the order of arrival, from 1.
struct JobId {
  std::uint64_t value = 0;

  auto operator<=>(const JobId&) const = default;
};

}  // namespace sluice

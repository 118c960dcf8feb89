#pragma once

#include <chrono>
#include <utility>

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// When to measure a job: early, since a job takes most of its resources in its first seconds, and
/// often while it grows, since growth since the last measurement is attributed to others.
class SamplingSchedule {
 public:
  TimePoint first(TimePoint start) const { return start + std::chrono::milliseconds(100); }
  /// The next time after a measurement at `now` that returned `usage`.
  TimePoint next(const JobUsage& usage, TimePoint now) {
    constexpr std::uint64_t kGrows = 1 << 20;
    const Bytes before = std::exchange(before_, usage.memory);
    const bool grows = usage.memory.value > before.value + kGrows;
    return now + std::chrono::milliseconds(grows ? 100 : 250);
  }

 private:
  Bytes before_;
};

}  // namespace sluice

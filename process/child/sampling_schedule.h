#pragma once

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// When to measure a job: early, since a job takes most of its resources in its first seconds, and
/// often while it grows, since growth since the last measurement is attributed to others.
class SamplingSchedule {
 public:
  TimePoint first(TimePoint start) const;
  /// The next time after a measurement at `now` that returned `usage`.
  TimePoint next(const JobUsage& usage, TimePoint now);

 private:
  Bytes before_;
};

}  // namespace sluice

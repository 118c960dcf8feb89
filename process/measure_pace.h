#pragma once

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// When to look at what a job uses: early, since it takes most of what it takes in its first
/// seconds, and often while it grows, since what it took since the last look passes for the use of
/// others.
class MeasurePace {
 public:
  TimePoint first(TimePoint start) const;
  /// After a look at `now`, which saw this.
  TimePoint next(const JobUsage& usage, TimePoint now);

 private:
  Bytes before_;
};

}  // namespace sluice

#pragma once

#include <chrono>
#include <cmath>

#include "sluice/units.h"

namespace sluice {

/// Memory held, in bytes, and its growth per second: an exponential average over half a second,
/// which smooths out single allocations. The first sample shows none.
struct MemoryTrend {
  double used = 0, growth = 0;
  TimePoint at = TimePoint::min();  ///< Of the last sample; the least one before the first.

  void observe(Bytes held, TimePoint now) {
    constexpr double kAveraged = 0.5;
    const auto bytes = static_cast<double>(held.value);
    const double since =
        at == TimePoint::min() ? 0 : std::chrono::duration<double>(now - at).count();
    if (since > 0) {
      growth += (1 - std::exp(-since / kAveraged)) * ((bytes - used) / since - growth);
    }
    used = bytes;
    at = now;
  }
};

}  // namespace sluice

#pragma once

#include <chrono>
#include <string>

#include "sluice/units.h"

namespace sluice {

/// One instant on both clocks, used to show monotonic times to people as wall times.
struct Instant {
  TimePoint now;
  std::chrono::system_clock::time_point wall;
};

Instant this_instant();

/// "2026-03-01T12:00:00.123Z"
std::string rfc3339(std::chrono::system_clock::time_point time);

/// An instant of the monotonic clock as wall time: "2026-03-01T12:00:00.123Z".
std::string wall_time(const Instant& instant, TimePoint then);

/// Age in seconds, rounded down to milliseconds: no more is known, and it is shorter to read.
double age_seconds(TimePoint now, TimePoint then);

}  // namespace sluice

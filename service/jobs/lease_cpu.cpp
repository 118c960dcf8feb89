#include "service/jobs/lease_cpu.h"

#include <algorithm>
#include <chrono>

#include "base/seconds.h"

namespace sluice {
namespace {

/// /proc gives each of four times of a process in ticks, rounded down.
constexpr Duration kResolution = std::chrono::milliseconds(50);

Duration times(Duration span, double cores) {
  const double most = std::min(static_cast<double>(span.count()) * cores, 9e18);
  return Duration(static_cast<Duration::rep>(std::max(most, 0.0)));
}

}  // namespace

JobUsage confirmed(JobUsage claimed, const LeaseCpu& read, Duration elapsed, double cores) {
  const Duration unread = std::max(Duration{0}, elapsed - read.span);
  const Duration spare = bounded_sum(times(bounded_sum(unread, read.unseen), cores), kResolution);
  claimed.cpu = std::clamp(claimed.cpu, read.cpu, bounded_sum(read.cpu, spare));
  claimed.cpu_delay = std::clamp(claimed.cpu_delay, read.delay, bounded_sum(read.delay, spare));
  claimed.wall = std::max(claimed.wall, read.span - std::min(read.span, read.stopped));
  return claimed;
}

JobUsage as_of_reading(JobUsage usage, const LeaseCpu& read) {
  if (usage.cpu == read.cpu) usage.wall -= std::min(usage.wall, read.age);
  return usage;
}

}  // namespace sluice

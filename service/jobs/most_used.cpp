#include "service/jobs/most_used.h"

#include <algorithm>

namespace sluice {

JobUsage bounded(JobUsage usage, const MostUsed& most) {
  const Duration age = std::max(Duration{0}, most.age);
  usage.wall = std::min(usage.wall, age);
  const Duration told = usage.wall > Duration{0} ? usage.wall : age;
  const double given = static_cast<double>(told.count()) * most.cores;
  const auto mostly = static_cast<Duration::rep>(std::min(given, 9e18));
  usage.cpu = std::min(usage.cpu, Duration(mostly));
  usage.cpu_delay = std::min(usage.cpu_delay, Duration(mostly) - usage.cpu);
  usage.memory = std::min(usage.memory, most.memory);
  usage.peak_memory = std::min(usage.peak_memory, most.memory);
  if (most.oom_kills) usage.oom_kills = std::min(usage.oom_kills, *most.oom_kills);
  return usage;
}

}  // namespace sluice

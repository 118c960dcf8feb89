#include "cli/build/build_terms.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>

#include "base/seconds.h"
#include "sensors/cgroup/memory_limits.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {

/// Of the children that this process has waited for, and of those that they have waited for.
Duration cpu_of_children() {
  rusage used{};
  if (getrusage(RUSAGE_CHILDREN, &used) != 0) return Duration{0};
  return duration_of(used.ru_utime) + duration_of(used.ru_stime);
}

std::optional<Bytes> memory_here() {
  struct sysinfo host {};
  if (sysinfo(&host) != 0) return std::nullopt;
  Bytes least{std::uint64_t{host.totalram} * host.mem_unit};
  const auto limits = memory_limits_of(getpid());
  if (!limits) return least;
  for (const GroupLimit& each : *limits) least = std::min(least, each.limit);
  return least;
}

}  // namespace

BuildMeter::BuildMeter() : began_(Clock::now()), cpu_before_(cpu_of_children()) {}

BuildTerms BuildMeter::terms() const {
  return {.took = Clock::now() - began_,
          .cpu = cpu_of_children() - cpu_before_,
          .cpus = usable_cpus(),
          .memory = memory_here()};
}

}  // namespace sluice::cli

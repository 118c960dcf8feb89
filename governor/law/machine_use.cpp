#include "governor/law/machine_use.h"

#include <algorithm>
#include <limits>

#include "base/seconds.h"

namespace sluice {
namespace {

/// From this part of the CPUs on, work that yields to ours explains the stalls of the CPUs.
constexpr double kYieldingPart = 0.02;

/// Part of `span` in which tasks were stalled; nullopt if it is not known.
std::optional<double> stalled(const std::optional<UseCounters::Stall>& before,
                              const std::optional<UseCounters::Stall>& after, double span) {
  if (!before || !after || before->source != after->source) return std::nullopt;
  if (after->some < before->some) return std::nullopt;
  return std::min(1.0, to_seconds(after->some - before->some) / span);
}

/// Time that tasks ran and waited for a CPU; nullopt if the kernel did not count.
std::optional<UseCounters::RunDelay> growth(const std::optional<UseCounters::RunDelay>& before,
                                            const std::optional<UseCounters::RunDelay>& after) {
  if (!before || !after || after->waited < before->waited) return std::nullopt;
  // The task that reads the counters has run: time on a CPU that stands still is not counted.
  if (after->ran <= before->ran) return std::nullopt;
  return UseCounters::RunDelay{.ran = after->ran - before->ran,
                               .waited = after->waited - before->waited};
}

double blocked_part(const UseCounters& counters) {
  const auto tasks = static_cast<double>(counters.blocked + counters.running);
  return tasks > 0 ? static_cast<double>(counters.blocked) / tasks : 0;
}

}  // namespace

std::optional<MachineUse> use_between(const UseCounters& before, const UseCounters& after) {
  MachineUse use;
  use.span = after.at - before.at;
  const double span = to_seconds(use.span);
  if (span <= 0 || after.levels.empty() || before.levels.size() != after.levels.size()) {
    return std::nullopt;
  }
  use.cpus = after.cpus;
  double least_left = std::numeric_limits<double>::infinity();
  std::size_t tightest = 0;
  for (std::size_t i = 0; i < after.levels.size(); ++i) {
    const UseCounters::Level &then = before.levels[i], &now = after.levels[i];
    if (then.where != now.where || now.used < then.used) return std::nullopt;
    const double used = to_seconds(now.used - then.used);
    const double available = to_seconds(now.available - then.available);
    if (available <= 0) return std::nullopt;
    // Ticks and clocks differ: a level may seem to have used more than there was.
    use.busy = std::max(use.busy, std::min(1.0, used / available));
    use.cpus = std::min(use.cpus, available / span);
    if (available - used >= least_left) continue;
    least_left = available - used;
    tightest = i;
    use.cores = std::min(used, available) / span;
  }
  const double yielding = to_seconds(std::max(Duration(0), after.yielding - before.yielding));
  const bool only_others_wait = yielding > kYieldingPart * use.cpus * span;
  use.yielding = yielding / span;
  const auto stall = stalled(before.cpu_stall, after.cpu_stall, span);
  const auto tasks = tightest == 0 ? growth(before.run_delay, after.run_delay) : std::nullopt;
  use.waiting = only_others_wait ? 0
                : tasks          ? to_seconds(tasks->waited) / span / use.cpus
                                 : stall.value_or(0);
  use.io_waiting = stalled(before.io_stall, after.io_stall, span)
                       .value_or(after.io_stall ? 0 : blocked_part(after));
  const std::uint64_t sectors = std::max(before.sectors, after.sectors) - before.sectors;
  use.sectors = static_cast<double>(sectors) / span;
  return use;
}

std::optional<double> tasks_between(const UseCounters& before, const UseCounters& after) {
  const double span = to_seconds(after.at - before.at);
  const auto tasks = growth(before.run_delay, after.run_delay);
  if (!tasks || span <= 0) return std::nullopt;
  return to_seconds(tasks->ran + tasks->waited) / span;
}

void count_own_work(MachineUse& use, double own) {
  const double hidden = std::min(use.yielding, std::max(0.0, own - use.cores));
  use.cores = std::min(use.cpus, use.cores + hidden);
  use.busy = std::min(1.0, use.busy + hidden / use.cpus);
  use.yielding -= hidden;
}

}  // namespace sluice

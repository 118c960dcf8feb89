#include "cli/autoscale_stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "service/view.h"

namespace sluice::cli {
namespace {

std::string decimal(const std::optional<double>& number) {
  return number ? fmt::format("{:.2f}", *number) : "";
}

std::optional<double> mean_load(const FleetLook& look) {
  double sum = 0;
  int hosts = 0;
  for (const SeenExecutor& each : look.executors) {
    if (!each.report || !each.report->load) continue;
    sum += *each.report->load;
    ++hosts;
  }
  return hosts > 0 ? std::optional(sum / hosts) : std::nullopt;
}

}  // namespace

std::int64_t queued_jobs(const Observation& observation) {
  return std::count_if(observation.queued.begin(), observation.queued.end(),
                       [](const QueuedJob& job) { return !job.held; });
}

std::int64_t running_jobs(const FleetLook& look) {
  std::int64_t running = 0;
  for (const SeenExecutor& each : look.executors) running += each.report ? each.report->running : 0;
  return running;
}

std::optional<StatsRow> stats_row(const FleetRound& round, const FleetAverages::Means& means,
                                  std::chrono::system_clock::time_point time) {
  if (!round.look.blind.empty()) return std::nullopt;
  const ScaleNumbers& numbers = round.decision.numbers;
  StatsRow row;
  row.time = time;
  row.hosts = numbers.executors + numbers.draining;
  row.running_jobs = running_jobs(round.look);
  row.queued_jobs = queued_jobs(round.observation);
  row.slots = numbers.slots;
  row.avg_duration = means.duration;
  row.avg_wait = means.wait;
  row.avg_load = mean_load(round.look);
  return row;
}

std::string stats_head() {
  return "time,hosts,running_jobs,queued_jobs,slots,avg_duration,avg_wait,avg_load\n";
}

std::string stats_line(const StatsRow& row) {
  return fmt::format("{},{},{},{},{},{},{},{}\n", rfc3339(row.time), row.hosts, row.running_jobs,
                     row.queued_jobs, row.slots, decimal(row.avg_duration), decimal(row.avg_wait),
                     decimal(row.avg_load));
}

}  // namespace sluice::cli

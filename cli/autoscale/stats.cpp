#include "cli/autoscale/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/parse.h"
#include "service/api/view.h"

namespace sluice::cli {
namespace {

std::string decimal(const std::optional<double>& number) {
  return number ? fmt::format("{:.2f}", *number) : "";
}

std::optional<double> mean_load(const FleetObservation& fleet) {
  double sum = 0;
  int hosts = 0;
  for (const ExecutorObservation& each : fleet.executors) {
    if (!each.report || !each.report->load) continue;
    sum += *each.report->load;
    ++hosts;
  }
  return hosts > 0 ? std::optional(sum / hosts) : std::nullopt;
}

/// Removes the text up to the next comma from the line.
std::string next_field(std::string_view& line) {
  const std::size_t comma = std::min(line.find(','), line.size());
  std::string field(line.substr(0, comma));
  line.remove_prefix(std::min(comma + 1, line.size()));
  return field;
}

/// Parses the format of `rfc3339`; nullopt for anything else.
std::optional<std::chrono::system_clock::time_point> parse_time(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milli = 0;
  char end = 0;
  const int read = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3d%c", &year, &month, &day,
                               &hour, &minute, &second, &milli, &end);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (read != 8 || end != 'Z' || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + std::chrono::milliseconds(milli);
}

std::optional<double> parse_figure(const std::string& text) {
  const auto number = parse_as<double>(text);
  return number && *number >= 0 && *number < 1e15 ? number : std::nullopt;
}

std::optional<StatsRow> parse_row(std::string_view line) {
  const auto time = parse_time(next_field(line));
  const auto hosts = parse_figure(next_field(line));
  const auto running = parse_figure(next_field(line));
  const auto queued = parse_figure(next_field(line));
  const auto slots = parse_figure(next_field(line));
  if (!time || !hosts || !running || !queued || !slots) return std::nullopt;
  StatsRow row;
  row.time = *time;
  row.hosts = static_cast<int>(std::min(*hosts, 1e9));
  row.running_jobs = static_cast<std::int64_t>(*running);
  row.queued_jobs = static_cast<std::int64_t>(*queued);
  row.slots = static_cast<std::int64_t>(*slots);
  row.avg_duration = parse_figure(next_field(line));
  row.avg_wait = parse_figure(next_field(line));
  row.avg_load = parse_figure(next_field(line));
  return row;
}

}  // namespace

std::vector<StatsRow> stats_rows(std::string_view csv) {
  std::vector<StatsRow> rows;
  while (!csv.empty()) {
    if (const auto row = parse_row(next_line(csv))) rows.push_back(*row);
  }
  return rows;
}

std::int64_t queued_jobs(const Observation& observation) {
  return std::ranges::count(observation.queued, false, &QueuedJob::held);
}

std::int64_t running_jobs(const FleetObservation& fleet) {
  std::int64_t running = 0;
  for (const ExecutorObservation& each : fleet.executors)
    running += each.report ? each.report->running : 0;
  return running;
}

std::string why_blind(const ReconcileResult& result) {
  const ScaleNumbers& numbers = result.decision.numbers;
  if (!result.fleet.blind.empty()) return result.fleet.blind;
  const bool none_seen = result.unseen > 0 && result.unseen + numbers.booting == numbers.executors;
  return none_seen ? "none of the executors could be seen" : "";
}

std::optional<StatsRow> stats_row(const ReconcileResult& result, const FleetAverages::Means& means,
                                  std::chrono::system_clock::time_point time) {
  if (!why_blind(result).empty()) return std::nullopt;
  const ScaleNumbers& numbers = result.decision.numbers;
  StatsRow row;
  row.time = time;
  row.hosts = numbers.executors + numbers.draining;
  row.running_jobs = running_jobs(result.fleet);
  row.queued_jobs = queued_jobs(result.observation);
  row.slots = numbers.slots;
  row.avg_duration = means.duration;
  row.avg_wait = means.wait;
  row.avg_load = mean_load(result.fleet);
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

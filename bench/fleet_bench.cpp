#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "fleet_world.h"
#include "governor/autoscaler/autoscaler.h"
#include "timing.h"

// A fleet of up to 10,000 executors through a day of arrivals in virtual time, under StarCluster's
// rules, Sluice's rules, and the formula of the Kubernetes horizontal pod autoscaler; and the time
// of one decision over 10,000 executors. Prints tables, or JSON with --json; asserts nothing.

namespace sluice::fleet {
namespace {

constexpr int kMin = 100, kMax = 10'000, kAdd = 500;

/// CPU time of this program in seconds, which excludes other load on the machine.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Row {
  std::string name;
  Outcome outcome;
  double took = 0;  ///< CPU seconds for the day.
};

AutoscaleOptions options_of(ScaleRules rules) {
  AutoscaleOptions options;
  options.rules = rules;
  options.min = kMin;
  options.max = kMax;
  options.add = kAdd;
  return options;
}

/// The day under the same function that `sluice autoscale` calls.
Outcome run_sluice(const std::vector<Job>& jobs, const AutoscaleOptions& options) {
  World world(jobs, kMin, 7);
  AutoscaleState state = start_autoscaler(TimePoint{});
  const auto interval = std::chrono::ceil<std::chrono::seconds>(options.interval).count();
  while (world.now() < kDay) {
    world.step();
    if (world.now() % interval != 0) continue;
    const TimePoint now{std::chrono::seconds(world.now())};
    ScaleStep step = decide(world.observe(), std::move(state), options, now);
    state = std::move(step.state);
    if (!step.decision.changes()) continue;
    state = after_change(std::move(state), now);
    std::vector<int> gone;
    for (const std::string& id : step.decision.remove) gone.push_back(World::number_of(id));
    world.end(gone);
    world.order(step.decision.add);
  }
  return world.finish();
}

enum class AtEnd { kill, drain };

/// The horizontal pod autoscaler with its defaults: every 15 s the replicas that the demand needs
/// at 80 % of the mean window, no change within 10 %, at most doubling at once; scales down to the
/// highest target of the last 300 s. It removes pods that are not ready first, then the youngest;
/// it does not know whether they are busy.
Outcome run_hpa(const std::vector<Job>& jobs, AtEnd at_end) {
  constexpr double kTolerance = 0.1, kTarget = 0.8;
  constexpr std::size_t kRemembered = 300 / 15;
  World world(jobs, kMin, 7);
  std::deque<int> wanted;
  while (world.now() < kDay) {
    world.step();
    const double mean = world.now() % 15 == 0 ? world.mean_window() : 0;
    if (mean <= 0) continue;
    const std::vector<int> pods = world.youngest_first();
    const int there = static_cast<int>(pods.size());
    const double ratio = (world.usage() + world.pending()) / (kTarget * mean) / there;
    const bool near = std::abs(ratio - 1) <= kTolerance;
    const int raw = near ? there : static_cast<int>(std::ceil(ratio * there));
    wanted.push_back(std::clamp(raw, kMin, kMax));
    if (wanted.size() > kRemembered) wanted.pop_front();
    const int most_wanted = *std::max_element(wanted.begin(), wanted.end());
    if (wanted.back() > there) {
      world.order(std::min(wanted.back(), there + std::max(4, there)) - there);
    } else if (most_wanted < there) {
      const std::vector<int> gone(pods.begin(), pods.begin() + (there - most_wanted));
      at_end == AtEnd::kill ? world.end(gone) : world.drain(gone);
    }
  }
  return world.finish();
}

template <typename Run>
Row timed(std::string name, Run run) {
  const double begin = cpu_seconds();
  Row row{std::move(name), run(), 0};
  row.took = cpu_seconds() - begin;
  return row;
}

std::vector<Row> run_all(const std::vector<Job>& jobs) {
  AutoscaleOptions by_second = options_of(ScaleRules::window);
  by_second.billing = Duration{0};
  by_second.kill_after = std::chrono::minutes(5);
  std::vector<Row> rows;
  rows.push_back(
      timed("starcluster", [&] { return run_sluice(jobs, options_of(ScaleRules::starcluster)); }));
  rows.push_back(timed("window", [&] { return run_sluice(jobs, options_of(ScaleRules::window)); }));
  rows.push_back(timed("window, billing 0", [&] { return run_sluice(jobs, by_second); }));
  rows.push_back(timed("HPA, kills", [&] { return run_hpa(jobs, AtEnd::kill); }));
  rows.push_back(timed("HPA, drains", [&] { return run_hpa(jobs, AtEnd::drain); }));
  return rows;
}

/// Nearest-rank percentile.
double percentile(const std::vector<std::int32_t>& sorted, double part) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// The time of one decision.
struct Decision {
  std::string name;
  double median = 0, p99 = 0;  ///< Milliseconds.
};

Observation large_fleet(int queued, bool idle) {
  Observation seen;
  for (int i = 0; i < kMax; ++i) {
    Executor& executor = seen.executors.emplace_back();
    executor.id = "executor-" + std::to_string(100'000 + i * 7919 % kMax);
    executor.slots = 8;
    executor.used = idle ? 0 : 8;
    executor.up = std::chrono::minutes(50);
    executor.window = Points{80 + i % 40};
    executor.usage = idle ? Points{0} : executor.window;
  }
  for (int i = 0; i < queued; ++i) {
    seen.queued.push_back({1, std::chrono::seconds(i % 2000), false, Points{10}});
  }
  return seen;
}

Decision time_decision(std::string name, ScaleRules rules, const Observation& seen) {
  constexpr int kTimes = 1000;
  AutoscaleOptions options = options_of(rules);
  options.max = 2 * kMax;
  AutoscaleState state = start_autoscaler(TimePoint{});
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    const TimePoint now{std::chrono::minutes(60 + i)};
    const double begin = cpu_microseconds();
    ScaleStep step = decide(seen, std::move(state), options, now);
    times.push_back((cpu_microseconds() - begin) / 1000);
    state = std::move(step.state);
  }
  std::sort(times.begin(), times.end());
  return {std::move(name), times[kTimes / 2], times[kTimes * 99 / 100]};
}

std::vector<Decision> time_decisions() {
  const Observation busy = large_fleet(100'000, false), calm = large_fleet(0, true);
  return {time_decision("starcluster, all busy, 100,000 queued", ScaleRules::starcluster, busy),
          time_decision("starcluster, all idle and due", ScaleRules::starcluster, calm),
          time_decision("window, all busy, 100,000 queued", ScaleRules::window, busy),
          time_decision("window, all idle and due", ScaleRules::window, calm)};
}

void print_table(const std::vector<Row>& rows, std::size_t jobs) {
  std::printf("%zu jobs in a day, %d to %d executors, at most %d added at once\n\n", jobs, kMin,
              kMax, kAdd);
  std::printf("%-18s %10s %10s %7s %8s %8s %8s %10s %9s %8s %7s\n", "rules", "executor", "paid",
              "most", "wait p50", "p95", "p99", "slow hour", "jobs", "not", "took");
  std::printf("%-18s %10s %10s %7s %8s %8s %8s %10s %9s %8s %7s\n", "", "hours", "hours", "", "s",
              "s", "s", "executors", "lost", "started", "CPU s");
  for (const Row& row : rows) {
    const Outcome& o = row.outcome;
    std::printf("%-18s %10.0f %10.0f %7d %8.0f %8.0f %8.0f %+10d %9lld %8lld %7.1f\n",
                row.name.c_str(), o.executor_hours, o.hours_paid, o.most, percentile(o.waits, 0.5),
                percentile(o.waits, 0.95), percentile(o.waits, 0.99), o.slow_hour,
                static_cast<long long>(o.lost), static_cast<long long>(o.left), row.took);
  }
}

void print_decisions(const std::vector<Decision>& decisions) {
  std::printf("\n%-40s %10s %10s\n", "one decision over 10,000 executors", "median", "p99 CPU ms");
  for (const Decision& decision : decisions) {
    std::printf("%-40s %10.3f %10.3f\n", decision.name.c_str(), decision.median, decision.p99);
  }
}

void print_json(const std::vector<Row>& rows, const std::vector<Decision>& decisions) {
  std::printf("{\"fleets\":[");
  for (const Row& row : rows) {
    const Outcome& o = row.outcome;
    std::printf(
        "%s{\"rules\":\"%s\",\"executor_hours\":%.1f,\"hours_paid\":%.0f,\"most\":%d,"
        "\"wait_seconds\":{\"p50\":%.0f,\"p95\":%.0f,\"p99\":%.0f},\"slow_hour_executors\":%d,"
        "\"jobs_lost\":%lld,\"jobs_not_started\":%lld,\"cpu_seconds\":%.2f}",
        &row == rows.data() ? "" : ",", row.name.c_str(), o.executor_hours, o.hours_paid, o.most,
        percentile(o.waits, 0.5), percentile(o.waits, 0.95), percentile(o.waits, 0.99), o.slow_hour,
        static_cast<long long>(o.lost), static_cast<long long>(o.left), row.took);
  }
  std::printf("],\"decisions\":[");
  for (const Decision& decision : decisions) {
    std::printf("%s{\"case\":\"%s\",\"median_ms\":%.4f,\"p99_ms\":%.4f}",
                &decision == decisions.data() ? "" : ",", decision.name.c_str(), decision.median,
                decision.p99);
  }
  std::printf("]}\n");
}

int run(bool json) {
  const std::vector<Job> jobs = day_of_jobs(1);
  const std::vector<Row> rows = run_all(jobs);
  const std::vector<Decision> decisions = time_decisions();
  if (json) {
    print_json(rows, decisions);
  } else {
    print_table(rows, jobs.size());
    print_decisions(decisions);
  }
  return 0;
}

}  // namespace
}  // namespace sluice::fleet

int main(int count, char** arguments) {
  const bool json = count > 1 && std::strcmp(arguments[1], "--json") == 0;
  if (count > 1 && !json) {
    std::fprintf(stderr, "usage: bench_fleet [--json]\n");
    return 2;
  }
  return sluice::fleet::run(json);
}

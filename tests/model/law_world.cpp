#include "law_world.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::model {
namespace {

constexpr std::size_t kBacklog = 100;
constexpr double kSetupPart = 0.1, kEarlyPart = 0.3, kClimb = 0.2;  ///< As in host_model.cpp.

Bytes gib(double amount) { return Bytes{static_cast<std::uint64_t>(amount * 0x1.0p30)}; }

/// Its kinds differ in when they reach their peak.
std::string key_of(const JobSpec& job) {
  if (job.climb_from < 0.2) return "lint";
  return job.climb_from < 0.5 ? "build" : "test";
}

Work work_of(const JobSpec& job) {
  const auto part = [&](double length) { return length * job.work_seconds; };
  const Bytes early = gib(kEarlyPart * job.peak_gib);
  const Bytes growth = gib((1 - kEarlyPart) * job.peak_gib);
  return {key_of(job),
          key_of(job),
          {{job.setup_seconds, job.setup_cores, {}, gib(kSetupPart * job.peak_gib), {}},
           {part(job.climb_from), job.cores, {}, early, {}},
           {part(kClimb), job.cores, {}, early, growth},
           {part(1 - job.climb_from - kClimb), job.cores, {}, gib(job.peak_gib), {}}}};
}

HostView view_of(const Host& host) {
  HostView view;
  view.load1 = host.load1();
  view.available = host.available();
  view.running = static_cast<int>(host.running());
  return view;
}

HostTally tally_of(const Totals& totals) {
  HostTally tally;
  tally.finished = static_cast<int>(totals.ended);
  tally.killed = static_cast<int>(totals.killed);
  tally.busy_core_seconds = totals.busy;
  tally.useful_core_seconds = totals.useful;
  return tally;
}

int reversals_of(const std::vector<WindowChange>& changes) {
  int reversals = 0, last = 0;
  for (const WindowChange& change : changes) {
    const int direction = change.to > change.from ? 1 : -1;
    if (direction == -last) ++reversals;
    last = direction;
  }
  return reversals;
}

ExecutorOptions options_of(Law law, ExecutorOptions::Learning learning, const Scenario& scenario) {
  ExecutorOptions options;
  options.window = scenario.window;
  options.window.law = law;
  options.load_limit = scenario.load_limit;
  options.reservation = scenario.reservation;
  options.learning = learning;
  if (learning == ExecutorOptions::Learning::history) {
    options.memory = ExecutorOptions::Memory::reserved;
  }
  return options;
}

}  // namespace

Figures simulate_core(Law law, ExecutorOptions::Learning learning, const Scenario& scenario,
                      Duration step) {
  HostOptions shape;
  shape.cpus = scenario.host.cores;
  shape.memory = gib(scenario.host.memory_gib);
  shape.step = step;
  Host host(std::move(shape));
  Executor executor(host, options_of(law, learning, scenario));
  JobStream stream(scenario.host, scenario.seed);
  Observer observer(scenario);
  const Duration second = std::chrono::seconds(1);
  for (std::int64_t at = 0; at < scenario.hours * 3600; ++at) {
    while (executor.pending() < kBacklog) executor.submit(work_of(stream.next()));
    executor.admit();
    for (Duration passed{0}; passed < second; passed += step) {
      host.advance();
      executor.follow(host.take_ended());
    }
    observer.see(at, view_of(host), executor.is_red(), host.totals().killed);
  }
  return observer.figures(tally_of(host.totals()), reversals_of(executor.changes()));
}

Bounds bounds_of(const Scenario& scenario) {
  constexpr int kJobs = 20'000;
  constexpr double kOfJobs = 0.96;
  JobStream stream(scenario.host, scenario.seed);
  double cores = 0, held = 0, peaks = 0;
  for (int i = 0; i < kJobs; ++i) {
    const JobSpec job = stream.next();
    cores += job.setup_seconds * job.setup_cores + job.work_seconds * job.cores;
    const double after = 1 - job.climb_from - kClimb;
    const double mean = kEarlyPart * job.climb_from + (1 + kEarlyPart) / 2 * kClimb + after;
    held += job.peak_gib * (kSetupPart * job.setup_seconds + mean * job.work_seconds);
    peaks += job.peak_gib * (job.setup_seconds + job.work_seconds);
  }
  const double memory = kOfJobs * scenario.host.memory_gib * 3600 * kJobs;
  return {scenario.host.cores * 3600.0 * kJobs / cores, memory / held, memory / peaks};
}

Figures simulate_core_seeds(Law law, ExecutorOptions::Learning learning, Scenario scenario,
                            Duration step, int seeds) {
  Figures mean;
  for (int seed = 1; seed <= seeds; ++seed) {
    scenario.seed = static_cast<std::uint64_t>(seed);
    add_to(mean, simulate_core(law, learning, scenario, step), 1.0 / seeds);
  }
  return mean;
}

}  // namespace sluice::model

#include "cli/whatif/recorded_phases.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sluice/cpu_profile.h"

namespace sluice::cli {
namespace {

/// On a busy machine the model stretches every phase that computes, however little. A job that
/// sleeps is measured at a few thousandths, for its start and its end.
double modelled_cores(double measured) { return measured < 0.05 ? 0 : measured; }

ScenarioPhase whole_run(const record::JobFinished& run) {
  ScenarioPhase phase;
  phase.runs = unimpeded(run.wall, run.cpu, run.cpu_delay);
  if (phase.runs > Duration{0}) {
    phase.cores = modelled_cores(static_cast<double>(run.cpu.count()) /
                                 static_cast<double>(phase.runs.count()));
  }
  phase.growth = run.peak;
  return phase;
}

/// The value of the step in which `at` lies; of the last one after its end.
template <typename Value>
Value value_at(const std::vector<std::pair<Duration, Value>>& steps, Duration at) {
  for (const auto& [until, value] : steps) {
    if (at < until) return value;
  }
  return steps.empty() ? Value{} : steps.back().second;
}

double part_of(Duration some, Duration all) {
  return static_cast<double>(some.count()) / static_cast<double>(all.count());
}

Duration scaled(Duration time, double by) {
  return Duration(std::llround(static_cast<double>(time.count()) * by));
}

Bytes scaled(Bytes bytes, double by) {
  return Bytes{static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes.value) * by))};
}

}  // namespace

std::vector<ScenarioPhase> phases_of_run(const record::JobFinished& run) {
  if (run.cores_over_time.empty()) return {whole_run(run)};
  std::vector<Duration> ends;
  for (const auto& [until, cores] : run.cores_over_time) ends.push_back(until);
  const Duration whole = ends.back();
  for (const auto& [until, bytes] : run.memory_over_time) {
    if (until < whole) ends.push_back(until);
  }
  std::ranges::sort(ends);
  std::vector<ScenarioPhase> phases;
  Duration begin{0};
  for (const Duration end : ends) {
    if (end <= begin) continue;
    ScenarioPhase phase;
    phase.runs = end - begin;
    phase.cores = modelled_cores(record::from_thousandths(value_at(run.cores_over_time, begin)));
    phase.memory = value_at(run.memory_over_time, begin);
    if (run.memory_over_time.empty()) phase.memory = run.peak;
    phases.push_back(phase);
    begin = end;
  }
  if (phases.empty()) return {whole_run(run)};
  return phases;
}

std::vector<ScenarioPhase> rest_of(std::vector<ScenarioPhase> phases, Duration passed,
                                   Duration whole) {
  if (passed <= Duration{0}) return phases;
  Duration length{0};
  for (const ScenarioPhase& each : phases) length += each.runs;
  passed = passed < whole ? scaled(length, part_of(passed, whole)) : length;
  while (phases.size() > 1 && passed >= phases.front().runs) {
    passed -= phases.front().runs;
    phases.erase(phases.begin());
  }
  ScenarioPhase& first = phases.front();
  const Bytes grown = scaled(first.growth, passed < first.runs ? part_of(passed, first.runs) : 1);
  first.memory.value += grown.value;
  first.growth.value -= grown.value;
  first.runs -= std::min(passed, first.runs);
  return phases;
}

}  // namespace sluice::cli

#include "cli/replay/scripted_use.h"

#include <algorithm>
#include <cmath>

#include "base/seconds.h"

namespace sluice::cli {
namespace {

Duration scaled(Duration time, double factor) {
  return Duration(std::llround(static_cast<double>(time.count()) * factor));
}

Bytes scaled(Bytes bytes, double factor) {
  return Bytes{static_cast<std::uint64_t>(static_cast<double>(bytes.value) * factor)};
}

std::vector<ScenarioPhase> scripted_phases(const ScenarioJob& job) {
  if (!job.phases.empty()) return job.phases;
  return {{.runs = job.runs,
           .cores = job.cores.value_or(1),
           .memory = job.request.memory.value_or(Bytes{0})}};
}

}  // namespace

Duration time_of(const ScenarioJob& job) {
  Duration time = job.runs;
  for (const ScenarioPhase& phase : job.phases) time += phase.runs;
  return time;
}

JobUsage use_of(const std::vector<ScenarioPhase>& phases, Duration elapsed) {
  JobUsage usage;
  for (const ScenarioPhase& phase : phases) {
    const Duration passed = std::min(phase.runs, elapsed - usage.wall);
    const double part = phase.runs > Duration{0} ? to_seconds(passed) / to_seconds(phase.runs) : 1;
    usage.wall += passed;
    usage.cpu += scaled(passed, phase.cores);
    usage.cpu_delay += scaled(passed, phase.waiting);
    usage.memory = Bytes{phase.memory.value + scaled(phase.growth, part).value};
    usage.peak_memory = std::max(usage.peak_memory, usage.memory);
    if (usage.wall >= elapsed) break;
  }
  return usage;
}

ScriptedUse::ScriptedUse(const Scenario& scenario) : scenario_(scenario) {
  counters_.cpus = scenario.cpus;
  counters_.levels.push_back({"host", Duration{0}, Duration{0}});
  counters_.run_delay = UseCounters::RunDelay{};
}

void ScriptedUse::submitted(JobId id, const ScenarioJob& job) {
  phases_.insert_or_assign(id.value, scripted_phases(job));
}

void ScriptedUse::start(const Admitted& job, TimePoint now) {
  running_[job.id.value] = {job.slot, now};
}

JobUsage ScriptedUse::end(JobId id, TimePoint now) {
  const auto job = running_.extract(id.value);
  const auto phases = phases_.extract(id.value);
  return use_of(phases.mapped(), now - job.mapped().started);
}

void ScriptedUse::measure(Core& core, TimePoint now) {
  Bytes held;
  for (const auto& [id, job] : running_) {
    const JobUsage usage = use_of(phases_.at(id), now - job.started);
    held.value += usage.memory.value;
    core.measured(job.slot, usage, now);
  }
  if (scenario_.memory) {
    core.observe_memory({{"host", *scenario_.memory, held, MemoryLimit::Kill::process}});
  }
  advance_to(now);
  core.observe_use(counters_);
}

void ScriptedUse::advance_to(TimePoint now) {
  while (point_ < scenario_.cpu.size() && TimePoint{} + scenario_.cpu[point_].at <= now) {
    const CpuPoint& next = scenario_.cpu[point_++];
    integrate(TimePoint{} + next.at - counters_.at);
    current_ = next;
  }
  integrate(now - counters_.at);
}

void ScriptedUse::integrate(Duration passed) {
  const Duration available = scaled(passed, scenario_.cpus);
  counters_.at += passed;
  counters_.levels.front().available += available;
  counters_.levels.front().used += scaled(available, current_.busy);
  // The kernel's counter never stands still: its reader runs, too.
  counters_.run_delay->ran += scaled(available, current_.busy) + Duration{1};
  counters_.run_delay->waited += scaled(available, current_.waiting);
}

}  // namespace sluice::cli

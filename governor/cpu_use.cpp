#include "governor/cpu_use.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "base/seconds.h"
#include "governor/law/cores.h"
#include "governor/law/cpu_phases.h"
#include "governor/law/knee.h"

namespace sluice {
namespace {

/// A token's next job is another one: a pause does not belong to it.
constexpr Duration kFallInTurn = std::chrono::milliseconds(500);

constexpr Duration kUnreported = std::chrono::seconds(2);

constexpr Duration kLeastCpuTime = std::chrono::milliseconds(500);

constexpr std::size_t kNeighbourSamples = 4;

constexpr Duration kSampleMaxAge = std::chrono::seconds(10);

/// Counters that stand still must not hold jobs back for longer.
constexpr Duration kFirstReading = std::chrono::seconds(2);

/// Whether its CPU time will be known soon, or is: some holders report memory only.
bool is_measured(const RunningJob& job, TimePoint now) {
  return job.job.measured && (job.cpu.cores(now) || now - job.admitted < job.ramp + kUnreported);
}

/// Cores that the jobs used in the last sample: by what was measured since the one before, and by
/// each job's rate when it was last measured. Jobs are measured at other times than the machine.
struct OwnUse {
  double measured = 0, rates = 0;
};

OwnUse own_use(const CoreState& core, Duration span, TimePoint now) {
  return {to_seconds(core.own_cpu - core.own_cpu_then) / to_seconds(span),
          sum_over_running(core, [&](const RunningJob& job) { return job.cpu.used(now); })};
}

/// Cores used by others in the last sample: what no job used. A job that ran too briefly to be
/// measured is taken to have used what was expected.
double used_by_others(const CoreState& core, const MachineUse& use, OwnUse own, TimePoint now) {
  const double unseen = sum_over_running(core, [&](const RunningJob& job) {
    return is_measured(job, now) && !job.cpu.cores(now) ? job.expected_cores : 0;
  });
  return std::max(0.0, use.cores - std::max(own.measured, own.rates) - unseen);
}

std::uint64_t ended_jobs(const CoreState& core) {
  const auto& finished = core.counters.finished;
  return std::accumulate(finished.begin(), finished.end(), std::uint64_t{0});
}

}  // namespace

bool is_in_ramp(const RunningJob& job, TimePoint now) { return now - job.admitted < job.ramp; }

/// What a phase needs that the job is about to begin, in cores.
double due_now(const RunningJob& job, TimePoint now) {
  if (job.profile.count == 0) return 0;
  return due_cores(job.profile, job.cpu.progress(job.admitted, now));
}

/// What one job needs, in cores. The use of an unmeasured job counts as the neighbours'
/// after its ramp.
double demand_of(const CoreState& core, const RunningJob& job, TimePoint now) {
  const auto shown = job.cpu.cores(now);
  const double cpus = core.use ? core.use->cpus : HUGE_VAL;
  const double expected = std::min(job.expected_cores, cpus);
  if (is_in_ramp(job, now)) return std::max(shown.value_or(0), expected);
  if (shown) return std::max(*shown, std::min(cpus, due_now(job, now)));
  return is_measured(job, now) ? expected : 0;
}

double demand_of_all(const CoreState& core, TimePoint now) {
  return sum_over_running(core, [&](const RunningJob& job) { return demand_of(core, job, now); });
}

bool cpus_are_measured(const CoreState& core, TimePoint now) {
  return core.use && now - core.used_at < kSampleMaxAge;
}

/// The CPUs there are: as last sampled, else as counted until a second reading can be compared with
/// the first. nullopt if they are not measured.
std::optional<double> known_cpus(const CoreState& core, TimePoint now) {
  if (cpus_are_measured(core, now)) return core.use->cpus;
  const bool is_starting = core.first_reading && now - core.first_reading->at < kFirstReading;
  return is_starting && !core.use ? std::optional(core.first_reading->cpus) : std::nullopt;
}

/// The mean of the last second: jobs are measured at other times than the machine.
double neighbours_of(const CoreState& core) {
  if (core.neighbours.empty()) return 0;
  double sum = 0;
  for (const double each : core.neighbours) sum += each;
  return sum / static_cast<double>(core.neighbours.size());
}

void observe_use(CoreState& core, UseCounters counters) {
  if (counters.levels.empty()) return;
  if (!core.first_reading) core.first_reading = FirstReading{counters.at, counters.cpus};
  const auto use = core.use_counters ? use_between(*core.use_counters, counters) : std::nullopt;
  if (use && to_seconds(use->span) * use->cpus < to_seconds(kLeastCpuTime)) return;
  const std::uint64_t ended = ended_jobs(core);
  if (use) {
    core.use = use;
    core.use->ended = static_cast<double>(ended - core.ended_then) / to_seconds(use->span);
    const OwnUse own = own_use(core, use->span, counters.at);
    count_own_work(*core.use, std::min(own.measured, own.rates));
    core.tasks = tasks_between(*core.use_counters, counters);
    core.used_at = counters.at;
    core.use_is_new = true;
    const double waited = to_seconds(core.own_delay - core.own_delay_then) / to_seconds(use->span);
    core.use->own_waiting = waited / use->cpus;
    core.use->waiting = std::max(use->waiting, core.use->own_waiting);
    core.neighbours.push_back(used_by_others(core, *core.use, own, counters.at));
    if (core.neighbours.size() > kNeighbourSamples) core.neighbours.pop_front();
  }
  core.use_counters = std::move(counters);
  core.own_cpu_then = core.own_cpu;
  core.own_delay_then = core.own_delay;
  core.ended_then = ended;
}

void observe_demand(CoreState& core, RunningJob& job, const JobUsage& usage, TimePoint now) {
  if (!job.job.measured) return;
  const Duration cpu = job.cpu.cpu(), delay = job.cpu.delay();
  const double cpus = core.use ? core.use->cpus : 1;
  const Duration fall = job.job.takes_turns ? kFallInTurn : CpuDemand::kFall;
  job.cpu.see(usage, core.use ? cpus : HUGE_VAL, now, fall);
  // A child's use is part of its parent's.
  if (job.job.parent != JobId{}) return;
  // Reports may be late, cover the time before a restart of the daemon, or lie.
  const auto most = static_cast<double>(kUnreported.count()) * cpus;
  const Duration limit(static_cast<Duration::rep>(most));
  core.own_cpu += std::min(job.cpu.cpu() - cpu, limit);
  core.own_delay += std::min(job.cpu.delay() - delay, limit);
}

KneeInput knee_input(CoreState& core, Points next, TimePoint now) {
  KneeInput input;
  if (!cpus_are_measured(core, now)) return input;
  input.demand = demand_of_all(core, now);
  input.neighbours = neighbours_of(core);
  input.next = std::min(cores_of(next), core.use->cpus);
  input.ramp = core.last_ramp;
  if (std::exchange(core.use_is_new, false)) input.use = core.use;
  return input;
}

bool sensor_counts(const CoreState& core, const KnownSensor& sensor, TimePoint now) {
  if (core.options.window.law != Law::knee || sensor.name != "load") return true;
  if (!cpus_are_measured(core, now)) return true;
  if (!is_at_knee(*core.use)) return false;
  const auto& reading = sensor.sensor_state.reading;
  if (!core.tasks || !reading || reading->conditions.empty()) return true;
  const Condition& load = reading->conditions[reading->worst];
  const bool is_in_tasks = load.unit == Unit::count && load.limit;
  return !is_in_tasks || *core.tasks >= sensor.policy.resume * *load.limit;
}

std::optional<CpuStatus> cpu_status(const CoreState& core, TimePoint now) {
  if (!cpus_are_measured(core, now)) return std::nullopt;
  return CpuStatus{core.use->cpus, core.use->busy, core.use->waiting, demand_of_all(core, now),
                   neighbours_of(core)};
}

}  // namespace sluice

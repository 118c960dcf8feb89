#include "governor/cpu.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "governor/eligibility.h"
#include "governor/gates.h"
#include "governor/law/cores.h"
#include "governor/law/cpu_phases.h"
#include "governor/law/knee.h"
#include "governor/memory.h"

namespace sluice {
namespace {

/// Room for a queue: on two CPUs half a core keeps both busy when a job ends.
constexpr double kMostDemand = 1.25;
/// Until then a job has not shown what it needs, unless its history knows better.
constexpr Duration kRamp = std::chrono::seconds(1);
constexpr Duration kUnreported = std::chrono::seconds(2);
constexpr Duration kLeastCpuTime = std::chrono::milliseconds(500);
constexpr std::size_t kNeighbourSamples = 4;
constexpr Duration kSampleMaxAge = std::chrono::seconds(10);
/// Counters that stand still must not hold jobs back for longer.
constexpr Duration kFirstReading = std::chrono::seconds(2);
/// For each CPU, the cores that running jobs may begin to need at any time.
constexpr double kMostLatent = 8;
constexpr Duration kWaitsForGood = std::chrono::seconds(60);
/// So many jobs of a program speak for the next.
constexpr std::size_t kSiblings = 3;
constexpr Duration kShortageHeld = std::chrono::seconds(10);

bool is_in_ramp(const RunningJob& job, TimePoint now) { return now - job.admitted < job.ramp; }

/// Whether its CPU time will be known soon, or is: some holders report memory only.
bool is_measured(const RunningJob& job, TimePoint now) {
  return job.job.measured && (job.cpu.cores(now) || now - job.admitted < job.ramp + kUnreported);
}

/// What a phase needs that the job is about to begin, in cores.
double due_now(const RunningJob& job, TimePoint now) {
  if (job.profile.count == 0) return 0;
  return due_cores(job.profile, job.cpu.progress(job.admitted, now));
}

/// What one job needs, in cores. The use of a job that nobody measures counts as the neighbours'
/// after its ramp.
double demand_of(const CoreState& core, const RunningJob& job, TimePoint now) {
  const auto shown = job.cpu.cores(now);
  const double cpus = core.use ? core.use->cpus : HUGE_VAL;
  const double expected = std::min(job.expected_cores, cpus);
  if (is_in_ramp(job, now)) return std::max(shown.value_or(0), expected);
  if (shown) return std::max(*shown, std::min(cpus, due_now(job, now)));
  return is_measured(job, now) ? expected : 0;
}

/// The sum of a figure over the running jobs, where children are part of what their parent shows.
template <typename Figure>
double sum_of(const CoreState& core, Figure figure) {
  double sum = 0;
  if (core.running.permits().nested() == 0) {
    for (const RunningJob& job : core.running) {
      if (job.in_use) sum += figure(job);
    }
    return sum;
  }
  std::vector<double> below(core.running.size());
  for (const std::uint32_t slot : core.running.children_first()) {
    const double whole = std::max(figure(core.running[slot]), below[slot]);
    const auto parent = core.running.permits().parent(slot);
    (parent ? below[*parent] : sum) += whole;
  }
  return sum;
}

double demand_of_all(const CoreState& core, TimePoint now) {
  return sum_of(core, [&](const RunningJob& job) { return demand_of(core, job, now); });
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

/// Cores that the jobs used in the last sample: by what was measured since the one before, and by
/// each job's rate when it was last measured. Jobs are measured at other times than the machine.
struct OwnUse {
  double measured = 0, rates = 0;
};

OwnUse own_use(const CoreState& core, Duration span, TimePoint now) {
  return {seconds_of(core.own_cpu - core.own_cpu_then) / seconds_of(span),
          sum_of(core, [&](const RunningJob& job) { return job.cpu.used(now); })};
}

/// The running jobs of a job's user and program.
struct Siblings {
  std::size_t asleep = 0, awake = 0, in_ramp = 0;
};

Siblings siblings_of(const CoreState& core, const PendingJob& job, TimePoint now) {
  Siblings siblings;
  for (const RunningJob& each : core.running) {
    const bool is_sibling = each.in_use && each.job.measured && each.job.id != job.id &&
                            each.job.program == job.program && each.job.user == job.user;
    if (!is_sibling) continue;
    const auto shown = each.cpu.cores(now);
    if (now - each.admitted < kRamp || !shown) {
      ++siblings.in_ramp;
    } else {
      ++(*shown < kAsleepCores ? siblings.asleep : siblings.awake);
    }
  }
  return siblings;
}

/// Whether nothing is known of a job but that its siblings sleep: as many again may start as these
/// are, so that a wrong guess costs no more than the last one did.
bool starts_asleep(const CoreState& core, const PendingJob& job, const Prediction& expected,
                   TimePoint now) {
  if (!job.measured || job.program == 0 || expected.cores) return false;
  const Siblings siblings = siblings_of(core, job, now);
  return siblings.awake == 0 && siblings.asleep >= kSiblings && siblings.in_ramp < siblings.asleep;
}

/// What a job needs at its start, in cores.
double needs_at_start(const CoreState& core, const PendingJob& job, const Prediction& expected,
                      TimePoint now) {
  if (expected.profile.count > 0) return cores_at_start(expected.profile);
  if (starts_asleep(core, job, expected, now)) return kAsleepCores;
  return expected.cores.value_or(cores_of(expected.cost));
}

/// What a job may need later, nobody knows when, in cores.
double latent_cores(const PendingJob& job, const Prediction& expected) {
  const bool is_known = expected.profile.count > 0 || expected.sleeps || job.has_own_cost;
  if (is_known || !job.measured) return 0;
  return expected.late_cores.value_or(expected.cores.value_or(cores_of(expected.cost)));
}

/// The cores that running jobs do not need now, and may need later.
double latent_of_all(const CoreState& core, double cpus, TimePoint now) {
  return sum_of(core, [&](const RunningJob& job) {
    if (job.latent_cores <= 0) return 0.0;
    const double missing = std::min(job.latent_cores, cpus) - demand_of(core, job, now);
    const Duration age = std::max(kWaitsForGood, now - job.admitted);
    return std::max(0.0, missing) * seconds_of(kWaitsForGood) / seconds_of(age);
  });
}

Refusal refused_cores(const CoreState& core, std::string_view binding, Points cost, double needs,
                      double free, double total) {
  Refusal refusal = core.refusal(RefusalCode::window, binding, cost);
  refusal.needs = std::llround(1000 * needs);
  refusal.free = std::llround(1000 * free);
  refusal.total = std::llround(1000 * total);
  return refusal;
}

/// Why a later phase of a job has no room beside those of the running ones.
std::optional<Refusal> later_shortage(const CoreState& core, const Prediction& expected,
                                      double cpus, TimePoint now) {
  Duration from{0};
  for (const CpuPhase& phase : expected.profile.valid()) {
    const Duration began = std::exchange(from, phase.until);
    if (began < kLater || phase.cores < kAsleepCores) continue;
    const double promised = sum_of(core, [&](const RunningJob& job) {
      if (job.profile.count == 0) return 0.0;
      const Duration progress = job.cpu.progress(job.admitted, now);
      return std::min(cpus, mean_cores(job.profile, progress + began, progress + phase.until));
    });
    const double needs = std::min(phase.cores, cpus / 2);
    const double free = cpus - promised - std::min(neighbours_of(core), cpus / 2);
    if (needs <= free || promised <= 0) continue;
    return refused_cores(core, kCpuLaterBinding, expected.cost, needs, free, cpus);
  }
  return std::nullopt;
}

/// Cores used by others in the last sample: what no job used. A job that ran too briefly to be
/// measured is taken to have used what was expected.
double used_by_others(const CoreState& core, const MachineUse& use, OwnUse own, TimePoint now) {
  const double unseen = sum_of(core, [&](const RunningJob& job) {
    return is_measured(job, now) && !job.cpu.cores(now) ? job.expected_cores : 0;
  });
  return std::max(0.0, use.cores - std::max(own.measured, own.rates) - unseen);
}

}  // namespace

void observe_use(CoreState& core, UseCounters counters) {
  if (counters.levels.empty()) return;
  if (!core.first_reading) core.first_reading = FirstReading{counters.at, counters.cpus};
  const auto use = core.use_counters ? use_between(*core.use_counters, counters) : std::nullopt;
  if (use && seconds_of(use->span) * use->cpus < seconds_of(kLeastCpuTime)) return;
  if (use) {
    core.use = use;
    const OwnUse own = own_use(core, use->span, counters.at);
    count_own_work(*core.use, std::min(own.measured, own.rates));
    core.used_at = counters.at;
    core.use_is_new = true;
    const double waited = seconds_of(core.own_delay - core.own_delay_then) / seconds_of(use->span);
    core.use->waiting = std::max(use->waiting, waited / use->cpus);
    core.neighbours.push_back(used_by_others(core, *core.use, own, counters.at));
    if (core.neighbours.size() > kNeighbourSamples) core.neighbours.pop_front();
  }
  core.use_counters = std::move(counters);
  core.own_cpu_then = core.own_cpu;
  core.own_delay_then = core.own_delay;
}

void observe_demand(CoreState& core, RunningJob& job, const JobUsage& usage, TimePoint now) {
  if (!job.job.measured) return;
  const Duration cpu = job.cpu.cpu(), delay = job.cpu.delay();
  const double cpus = core.use ? core.use->cpus : 1;
  job.cpu.see(usage, core.use ? cpus : HUGE_VAL, now);
  // A child's use is part of its parent's.
  if (job.job.parent != JobId{}) return;
  // Reports may be late, cover the time before a restart of the daemon, or lie.
  const auto most = static_cast<double>(kUnreported.count()) * cpus;
  const Duration limit(static_cast<Duration::rep>(most));
  core.own_cpu += std::min(job.cpu.cpu() - cpu, limit);
  core.own_delay += std::min(job.cpu.delay() - delay, limit);
}

void expect_demand(CoreState& core, RunningJob& job, TimePoint now) {
  // Only measured jobs are asked about: a prediction copies their names.
  const bool is_learned = job.job.measured && !job.job.has_own_cost;
  const Prediction expected = is_learned ? predict(core, job.job) : Prediction(job.job.cost);
  const bool asleep = is_learned && starts_asleep(core, job.job, expected, now);
  job.admitted_cost = job.job.cost;
  job.expected_cores = asleep ? kAsleepCores : expected.cores.value_or(cores_of(job.job.cost));
  job.ramp = expected.sleeps ? Duration(0) : expected.ramp.value_or(kRamp);
  job.profile = expected.profile;
  job.latent_cores = is_learned ? latent_cores(job.job, expected) : 0;
  core.last_ramp = job.ramp;
}

void end_repricing(CoreState& core) {
  for (std::uint32_t slot = 0; slot < core.running.size(); ++slot) {
    const RunningJob& job = core.running[slot];
    if (job.in_use && job.admitted_cost > Points{0}) core.running.reprice(slot, job.admitted_cost);
  }
}

bool is_of_cpus(const Refusal& refused) {
  return refused.binding == kCpuBinding || refused.binding == kCpuLaterBinding ||
         refused.binding == kCpuLatentBinding;
}

void note_refusal(CoreState& core, const Refusal& refused) {
  const bool is_size = refused.code == RefusalCode::window && !is_of_cpus(refused);
  core.refused = core.refused || is_size;
  core.refused_for_memory = core.refused_for_memory || refused.code == RefusalCode::memory;
}

void reprice_running(CoreState& core, TimePoint now) {
  if (core.options.window.law != Law::knee || !core.use) return;
  const Points most = std::max(Points{1}, points_of(core.use->cpus));
  for (std::uint32_t slot = 0; slot < core.running.size(); ++slot) {
    const RunningJob& job = core.running[slot];
    const auto cores = job.cpu.cores(now);
    if (!job.in_use || !job.job.measured || job.job.has_own_cost || !cores) continue;
    const Points least = is_in_ramp(job, now) ? job.admitted_cost : core.options.least_cost;
    const double needs = std::max(*cores, due_now(job, now));
    core.running.reprice(slot, std::max(least, std::min(points_of(needs), most)));
  }
}

std::optional<Refusal> cpu_shortage(const CoreState& core, const PendingJob& job,
                                    const Prediction& expected, TimePoint now) {
  if (core.options.window.law != Law::knee) return std::nullopt;
  if (core.running.count() == 0 || expected.sleeps) return std::nullopt;
  const auto cpus = known_cpus(core, now);
  if (!cpus) return std::nullopt;
  const double half = *cpus / 2;
  const double needs = std::min(needs_at_start(core, job, expected, now), half);
  const double total = kMostDemand * *cpus;
  const double free = total - demand_of_all(core, now) - std::min(neighbours_of(core), half);
  if (needs > free && !begins_asleep(expected))
    return refused_cores(core, kCpuBinding, expected.cost, needs, free, total);
  const double latent = std::min(latent_cores(job, expected), *cpus);
  const double left = kMostLatent * *cpus - (latent > 0 ? latent_of_all(core, *cpus, now) : 0);
  if (latent > left) {
    return refused_cores(core, kCpuLatentBinding, expected.cost, latent, left, kMostLatent * *cpus);
  }
  return later_shortage(core, expected, *cpus, now);
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

bool counts(const CoreState& core, std::string_view sensor, TimePoint now) {
  if (core.options.window.law != Law::knee || sensor != "load") return true;
  return !cpus_are_measured(core, now) || is_at_knee(*core.use);
}

std::optional<CpuStatus> cpu_status(const CoreState& core, TimePoint now) {
  if (!cpus_are_measured(core, now)) return std::nullopt;
  return CpuStatus{core.use->cpus, core.use->busy, core.use->waiting, demand_of_all(core, now),
                   neighbours_of(core)};
}

bool is_below_half(const CoreState& core, TimePoint now) {
  return cpus_are_measured(core, now) && demand_of_all(core, now) < core.use->cpus / 2;
}

void note_capacity(CoreState& core, TimePoint now) {
  const bool is_measured = cpus_are_measured(core, now);
  const bool no_cpu = is_measured && is_at_knee(*core.use);
  core.at_knee = no_cpu && demand_of_all(core, now) >= core.use->cpus / 2;
  if (core.operated != Switch::running || !front(core, now)) return;
  const bool cannot_grow = core.window.size >= core.options.window.maximum ||
                           (is_measured && is_full_of_io(core.window.knee, *core.use));
  const bool no_room = core.refused_for_memory || (core.refused && cannot_grow);
  if (no_cpu || no_room || why_closed(core)) core.short_at = now;
}

bool is_short_of_capacity(const CoreState& core, TimePoint now) {
  return core.short_at && now - *core.short_at < kShortageHeld;
}

}  // namespace sluice

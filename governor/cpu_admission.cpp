#include "governor/cpu_admission.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/seconds.h"
#include "governor/cpu_use.h"
#include "governor/job_cost.h"
#include "governor/law/cores.h"
#include "governor/law/cpu_phases.h"
#include "governor/law/liveness.h"

namespace sluice {
namespace {

/// Room for a queue: on two CPUs half a core keeps both busy when a job ends.
constexpr double kMostDemand = 1.25;

/// For each CPU, the cores that running jobs may begin to need at any time.
constexpr double kMostLatent = 8;

/// Up to this age a job counts with all that it may need later, and then with this time / its age.
constexpr Duration kFullLatentAge = std::chrono::seconds(60);

/// Siblings that must be asleep for an unknown job to be expected to sleep, too.
constexpr std::size_t kLeastAsleepSiblings = 3;

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

/// Whether an unknown job is expected to sleep, as its siblings do. At most as many as these may be
/// in their ramp, so that a wrong guess at most doubles what runs.
bool starts_asleep(const CoreState& core, const PendingJob& job, const Prediction& expected,
                   TimePoint now) {
  if (!job.measured || job.program == 0 || expected.cores) return false;
  const Siblings siblings = siblings_of(core, job, now);
  return siblings.awake == 0 && siblings.asleep >= kLeastAsleepSiblings &&
         siblings.in_ramp < siblings.asleep;
}

/// What a job needs at its start, in cores.
double needs_at_start(const CoreState& core, const PendingJob& job, const Prediction& expected,
                      TimePoint now) {
  if (expected.profile.count > 0) return cores_at_start(expected.profile);
  if (starts_asleep(core, job, expected, now)) return kAsleepCores;
  return expected.cores.value_or(cores_of(expected.cost));
}

/// The cores that a job may need later, at an unknown time.
double latent_cores(const PendingJob& job, const Prediction& expected) {
  const bool is_known = expected.profile.count > 0 || expected.sleeps || job.has_own_cost;
  if (is_known || !job.measured) return 0;
  return expected.late_cores.value_or(expected.cores.value_or(cores_of(expected.cost)));
}

/// The cores that running jobs do not need now, and may need later.
double latent_of_all(const CoreState& core, double cpus, TimePoint now) {
  return sum_over_running(core, [&](const RunningJob& job) {
    if (job.latent_cores <= 0) return 0.0;
    const double missing = std::min(job.latent_cores, cpus) - demand_of(core, job, now);
    const Duration age = std::max(kFullLatentAge, now - job.admitted);
    return std::max(0.0, missing) * to_seconds(kFullLatentAge) / to_seconds(age);
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
    const double promised = sum_over_running(core, [&](const RunningJob& job) {
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

}  // namespace

void expect_demand(CoreState& core, RunningJob& job, TimePoint now) {
  // Only measured jobs are asked about: a prediction copies their names.
  job.admitted_cost = job.job.cost;
  job.expected_cores = cores_of(job.job.cost);
  job.ramp = kRamp;
  if (job.job.measured && !job.job.has_own_cost) {
    const Prediction expected = predict(core, job.job);
    const bool asleep = starts_asleep(core, job.job, expected, now);
    job.expected_cores = asleep ? kAsleepCores : expected.cores.value_or(job.expected_cores);
    job.ramp = expected.sleeps ? Duration(0) : expected.ramp.value_or(kRamp);
    job.profile = expected.profile;
    job.latent_cores = latent_cores(job.job, expected);
  }
  core.last_ramp = job.ramp;
}

bool is_cpu_shortage(const Refusal& refused) {
  return refused.binding == kCpuBinding || refused.binding == kCpuLaterBinding ||
         refused.binding == kCpuLatentBinding;
}

std::optional<Refusal> cpu_shortage(const CoreState& core, const PendingJob& job,
                                    const Prediction& expected, TimePoint now) {
  if (core.options.window.law != Law::knee) return std::nullopt;
  if (nothing_runs(core.running.count()) || expected.sleeps) return std::nullopt;
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

}  // namespace sluice

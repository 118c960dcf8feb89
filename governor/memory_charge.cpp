#include "governor/memory_charge.h"

#include <algorithm>
#include <utility>

#include "governor/cpu_use.h"
#include "governor/job_cost.h"

namespace sluice {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.value); }

double measured_bytes(const std::optional<MemoryUse>& use) {
  return use && use->is_measured ? number(use->held) : 0;
}

double reported(const CoreState& core) {
  double reported = 0;
  for (const RunningJob& job : core.running) {
    if (job.in_use && job.use && !job.use->is_measured) reported += number(job.use->held);
  }
  return reported;
}

HeldMemory held_by(const RunningJob& job, double believed) {
  HeldMemory held;
  const auto& declared = job.job.rest ? job.job.rest->memory : std::nullopt;
  if (job.use && job.use->is_measured) {
    held.measured = job.use->held;
  } else if (job.use) {
    held.reported = job.use->part(believed).held;
    held.unverified = 1;
  } else if (declared) {
    held.declared = *declared;
  }
  return held;
}

std::optional<MemoryUse> believed_use(const CoreState& core, const RunningJob& job) {
  const bool is_told = job.use && !job.use->is_measured;
  return is_told ? job.use->part(core.believed) : job.use;
}

Reservation::Charge charge_of(const CoreState& core, RunningJob& job, TimePoint now) {
  const Prediction expected = predict(core, job.job);
  const std::optional<MemoryUse> use = believed_use(core, job);
  job.need = expected.memory.value_or(MemoryNeed{});
  job.growth = expected.growth;
  if (!expected.memory && !use) return {};
  auto charge = Reservation::charge_of(need_while_running(expected, use, now), use);
  charge.among_others = job.in_reading && !(use && use->is_measured);
  return charge;
}

/// Memory reserved for children is not reserved again for their parents, whose expected need and
/// use include it.
void charge_trees(CoreState& core, TimePoint now) {
  struct Below {
    double mean = 0, variance = 0, held = 0;
  };
  std::vector<Below> below(core.running.size());
  for (const std::uint32_t slot : core.running.children_first()) {
    RunningJob& job = core.running[slot];
    const Below& children = below[slot];
    Reservation::Charge whole = charge_of(core, job, now);
    const auto use = believed_use(core, job);
    const double held = use ? number(use->held) : 0;
    const double own = std::max(0.0, held - children.held);
    job.charge = whole;
    job.charge.mean = std::max(whole.mean - children.mean, own);
    job.charge.variance = std::max(0.0, whole.variance - children.variance);
    job.own_held = own;
    core.reservation.add(job.charge);
    const auto parent = core.running.permits().parent(slot);
    if (!parent) continue;
    below[*parent].mean += job.charge.mean + children.mean;
    below[*parent].variance += job.charge.variance + children.variance;
    below[*parent].held += std::max(held, children.held);
  }
}

}  // namespace

void measured(CoreState& core, std::uint32_t slot, const JobUsage& usage, TimePoint now) {
  auto& use = core.running[slot].use;
  if (!use) use = MemoryUse::first(usage, now);
  use->see(usage, now);
  observe_demand(core, core.running[slot], usage, now);
}

void observe_memory(CoreState& core, std::vector<MemoryLimit> limits) {
  if (limits.empty()) return;
  for (RunningJob& job : core.running) job.in_reading = job.in_use;
  const double used =
      sum_over_running(core, [](const RunningJob& job) { return measured_bytes(job.use); });
  core.reservation.observe(std::move(limits), used);
}

std::vector<HeldMemory> held_by_queue(const CoreState& core) {
  std::vector<HeldMemory> queues(core.queues.size());
  const double believed = core.reservation.believed_part(reported(core));
  for (const RunningJob& job : core.running) {
    if (!job.in_use) continue;
    const HeldMemory held = held_by(job, believed);
    HeldMemory& queue = queues[job.job.queue];
    queue.measured.value += held.measured.value;
    queue.reported.value += held.reported.value;
    queue.declared.value += held.declared.value;
    queue.unverified += held.unverified;
  }
  return queues;
}

JobId most_charged(const CoreState& core) {
  const RunningJob* most = nullptr;
  for (const RunningJob& job : core.running) {
    if (!job.in_use || job.charge.mean <= 0) continue;
    if (!most || job.charge.mean > most->charge.mean) most = &job;
  }
  return most ? most->job.id : JobId{};
}

/// A measured job without a prediction is charged what it holds: otherwise its memory would count
/// as that of others until the next reading, and then not at all.
void charge(CoreState& core, RunningJob& job, TimePoint now) {
  job.charge = charge_of(core, job, now);
  core.reservation.add(job.charge);
}

void charge_all(CoreState& core, TimePoint now) {
  if (!core.reservation.is_in_force()) return;
  core.reservation.clear();
  core.believed = core.reservation.believed_part(reported(core));
  if (core.running.permits().nested() > 0) return charge_trees(core, now);
  for (RunningJob& job : core.running) {
    if (job.in_use) charge(core, job, now);
  }
}

}  // namespace sluice

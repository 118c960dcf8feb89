#include "governor/memory_admission.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "governor/memory/later_memory.h"

namespace sluice {
namespace {

double bytes(const std::optional<MemoryUse>& use) {
  return use ? static_cast<double>(use->held.value) : 0;
}

MemoryNeed need_beyond_permit(const CoreState& core, const PendingJob& job,
                              const MemoryNeed& need) {
  const auto parent = core.running.place_of_parent(job);
  if (!parent) return need;
  const RunningJob& lender = core.running[*parent];
  const double own =
      core.running.permits().has_children(*parent) ? lender.own_held : bytes(lender.use);
  const double lent = std::clamp(lender.charge.mean - own, 0.0, need.mean);
  return {need.mean - lent, need.deviation};
}

/// What a running job is charged in a time to come.
Reservation::Charge later_charge(const CoreState& core, const RunningJob& job, Duration from,
                                 Duration until) {
  const MemoryProgress progress{job.use ? job.use->progress : Duration{0}, bytes(job.use)};
  const double z = core.options.reservation.z;
  const double most = expected_peak(z, job.need).bytes;
  const bool is_known = job.growth && progress.held <= most && job.use && job.use->is_measured;
  const auto need = is_known ? need_between(*job.growth, progress, from, until) : std::nullopt;
  if (need) return {need->mean, need->variance, true, std::max(0.0, most - need->mean)};
  Reservation::Charge charge = job.charge;
  charge.beyond = std::min(charge.beyond, z * std::sqrt(charge.variance));
  return charge;
}

/// What all running jobs are charged then.
Reservation::Charge later_charges(const CoreState& core, Duration from, Duration until) {
  Reservation::Charge sum;
  sum.beyond = 0;
  for (const RunningJob& job : core.running) {
    if (!job.in_use) continue;
    const Reservation::Charge charge = later_charge(core, job, from, until);
    sum.mean += charge.mean;
    sum.variance += charge.variance;
    sum.beyond += charge.beyond;
  }
  return sum;
}

/// How a job whose memory is known over time stands beside the running jobs: at the first of its
/// phases that does not fit beside what these are expected to hold then, or at its last. Jobs of
/// which that is not known count with their charge. nullopt if no limit is known, or if jobs run on
/// the permits of others. `expected` must know its memory and growth.
std::optional<Reservation::Standing> standing_over_time(const CoreState& core,
                                                        const Prediction& expected) {
  if (core.running.permits().nested() > 0) return std::nullopt;
  const double most = expected_peak(core.options.reservation.z, *expected.memory).bytes;
  std::optional<Reservation::Standing> standing;
  Duration from{0};
  for (const MemoryPhase& phase : expected.growth->valid()) {
    const Duration began = std::exchange(from, phase.until);
    const LaterNeed need = need_in(*expected.growth, phase);
    const MemoryNeed next{need.mean, std::sqrt(need.variance), std::max(most, need.mean)};
    standing = core.reservation.standing_beside(later_charges(core, began, phase.until), next);
    if (!standing || !standing->fits()) return standing;
  }
  return standing;
}

}  // namespace

std::optional<Reservation::Standing> memory_standing(const CoreState& core, const PendingJob& job,
                                                     const Prediction& expected) {
  if (!expected.memory) return std::nullopt;
  const MemoryNeed need = need_beyond_permit(core, job, *expected.memory);
  if (need == MemoryNeed{}) return std::nullopt;
  const bool brakes = core.options.reservation.brake != ReservationOptions::Brake::off;
  const bool on_probation = brakes && job.suspendable && !vouches(expected.rung);
  if (on_probation) return core.reservation.standing_on_probation(need);
  const auto whole = core.reservation.standing(need);
  // If a run differs from all before, the brake must be able to suspend it.
  const bool counts_time =
      core.options.window.law == Law::knee && brakes && job.suspendable && expected.growth;
  if (!whole || whole->fits() || !counts_time) return whole;
  const auto over_time = standing_over_time(core, expected);
  return over_time && over_time->fits() ? over_time : whole;
}

}  // namespace sluice

#include "governor/memory_over_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "governor/memory/later_memory.h"

namespace sluice {
namespace {

/// What a running job is charged in a time to come.
Reservation::Charge later_charge(const CoreState& core, const RunningJob& job, Duration from,
                                 Duration until) {
  MemoryProgress progress;
  if (job.use) progress = {job.use->progress, static_cast<double>(job.use->held.value)};
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

}  // namespace

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

}  // namespace sluice

#include "governor/memory_admission.h"

#include <algorithm>

#include "governor/memory_over_time.h"

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

#include "governor/impossible.h"

#include "governor/request_conversion.h"

namespace sluice {

Refusal too_large_for_window(const CoreState& core, Points cost) {
  Refusal refused = core.refusal(RefusalCode::impossible, "window", cost);
  refused.size = core.options.window.maximum;
  return refused;
}

std::optional<Refusal> refuse_for_good(const CoreState& core, const JobRequest& job, Points cost,
                                       std::uint32_t queue, JobId id) {
  if (cost > core.options.window.maximum) return too_large_for_window(core, cost);
  for (const ResourceNeed& need : core.resources.needs_of(job, core.queues[queue].options)) {
    const Resources::Standing standing = core.resources.standing(need, job.key);
    if (!standing.is_impossible) continue;
    return core.shortage(RefusalCode::impossible, standing, cost);
  }
  const auto machine = core.reservation.machine();
  if (job.memory && machine && *job.memory > *machine) {
    Refusal refused = core.refusal(RefusalCode::impossible, "memory", cost);
    refused.needs = static_cast<std::int64_t>(job.memory->value);
    refused.free = refused.total = static_cast<std::int64_t>(machine->value);
    return refused;
  }
  return refused_by_rule(core, job, id, cost);
}

}  // namespace sluice

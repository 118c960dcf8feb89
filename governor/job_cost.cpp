#include "governor/job_cost.h"

#include <algorithm>

#include "governor/law/cores.h"
#include "governor/request_conversion.h"

namespace sluice {

std::optional<Points> points_of_all_cpus(const CoreState& core) {
  const bool is_counted = core.use || core.first_reading;
  if (core.options.window.law != Law::knee || !is_counted) return std::nullopt;
  return std::max(Points{1}, points_of(core.use ? core.use->cpus : core.first_reading->cpus));
}

Points cost_within(const Prediction& prediction, Points maximum, std::optional<Points> all_cpus) {
  Points cost = prediction.cost;
  if (prediction.least_cost && all_cpus) {
    cost = std::min(cost, std::max(*prediction.least_cost, *all_cpus));
  }
  return std::clamp(cost, Points{1}, maximum);
}

Points cost_from(const CoreState& core, const Prediction& prediction) {
  return cost_within(prediction, core.options.window.maximum, points_of_all_cpus(core));
}

Points cost_of(const CoreState& core, const JobRequest& job) {
  if (job.cost) return std::max(*job.cost, Points{1});
  return cost_from(core, core.cost_model(job));
}

Prediction predict(const CoreState& core, const PendingJob& job) {
  const auto& declared = job.rest ? job.rest->memory : std::nullopt;
  const bool keeps_predicted =
      core.reservation.is_in_force() && !core.reservation.counts_declared_only();
  Prediction prediction{job.cost};
  if (!job.has_own_cost || (keeps_predicted && !declared)) {
    copy_predicted_by(core, job, core.asked);
    prediction = core.cost_model(core.asked);
    prediction.cost = job.has_own_cost ? job.cost : cost_from(core, prediction);
    // Its phases would let it pass, and nobody would book them.
    if (job.has_own_cost) prediction.profile = {};
  }
  if (!keeps_predicted) prediction.memory.reset();
  if (declared) {
    prediction.memory = MemoryNeed{static_cast<double>(declared->value), 0};
    prediction.rung = Rung::declared;
  }
  return prediction;
}

void reprice_all(CoreState& core) {
  const ArrivalList& jobs = core.pending->by_arrival();
  for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
    const std::uint32_t slot = jobs.at(at).slot;
    core.pending->reprice(slot, predict(core, (*core.pending)[slot]).cost);
  }
}

}  // namespace sluice

#include <algorithm>
#include <utility>

#include "governor/core.h"

namespace sluice {

Points Core::cost_from(const Prediction& prediction) const {
  return std::clamp(prediction.cost, Points{1}, options_.window.maximum);
}

Prediction Core::predict(const PendingJob& job) const {
  const auto& declared = job.rest ? job.rest->memory : std::nullopt;
  const bool keeps_predicted = reservation_.is_in_force() && !reservation_.is_fixed();
  Prediction prediction{job.cost};
  if (!job.has_own_cost || (keeps_predicted && !declared)) {
    JobRequest request;  // Only what predictions go by: the rest would be copied in vain.
    request.key = job.key;
    request.program = programs_[job.program];
    request.measured = job.measured;
    request.suspendable = job.suspendable;
    request.inventory = job.inventory;
    prediction = cost_model_(request);
    prediction.cost = job.has_own_cost ? job.cost : cost_from(prediction);
  }
  if (!keeps_predicted) prediction.memory.reset();
  if (declared) {
    prediction.memory = MemoryNeed{static_cast<double>(declared->value), 0};
    prediction.rung = Rung::declared;
  }
  return prediction;
}

void Core::reprice_all() {
  const ArrivalList& jobs = pending_->by_arrival();
  for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
    const std::uint32_t slot = jobs.at(at).slot;
    pending_->reprice(slot, predict((*pending_)[slot]).cost);
  }
}

void Core::measured(std::uint32_t slot, const JobUsage& usage, TimePoint now) {
  auto& use = running_[slot].use;
  if (!use) use = MemoryUse::first(usage, now);
  use->see(usage, now);
}

void Core::observe_memory(std::vector<MemoryLimit> limits) {
  double used = 0;
  for (const RunningJob& job : running_) {
    if (job.in_use && job.use) used += static_cast<double>(job.use->held.value);
  }
  reservation_.observe(std::move(limits), used);
}

/// A job of which nothing is expected, but which is measured, is charged what it holds: else its
/// memory would count as that of others until the next reading, and then as nobody's.
void Core::charge(RunningJob& job, TimePoint now) {
  const Prediction expected = predict(job.job);
  job.charge = expected.memory || job.use
                   ? Reservation::charge_of(need_while_running(expected, job.use, now), job.use)
                   : Reservation::Charge{};
  reservation_.add(job.charge);
}

void Core::charge_all(TimePoint now) {
  if (!reservation_.is_in_force()) return;
  reservation_.clear();
  for (RunningJob& job : running_) {
    if (job.in_use) charge(job, now);
  }
}

}  // namespace sluice

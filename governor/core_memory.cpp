#include <algorithm>
#include <utility>

#include "governor/core.h"

namespace sluice {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.value); }

double measured_bytes(const std::optional<MemoryUse>& use) {
  return use && use->is_measured ? number(use->held) : 0;
}

}  // namespace

Points Core::cost_from(const Prediction& prediction) const {
  return std::clamp(prediction.cost, Points{1}, options_.window.maximum);
}

Prediction Core::predict(const PendingJob& job) const {
  const auto& declared = job.rest ? job.rest->memory : std::nullopt;
  const bool keeps_predicted = reservation_.is_in_force() && !reservation_.is_fixed();
  Prediction prediction{job.cost};
  if (!job.has_own_cost || (keeps_predicted && !declared)) {
    JobRequest request;  // Only what predictions use: copying the rest would be wasted.
    request.key = job.key;
    request.program = programs_[job.program];
    request.variant = variants_[job.variant];
    request.user = users_[job.user];
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
  if (permits_.nested() == 0) {
    for (const RunningJob& job : running_) {
      if (job.in_use) used += measured_bytes(job.use);
    }
  } else {
    // A child's memory is part of what its parent was measured to hold.
    std::vector<double> below(running_.size());
    for (const std::uint32_t slot : children_first()) {
      const double tree = std::max(measured_bytes(running_[slot].use), below[slot]);
      const auto parent = permits_.parent(slot);
      (parent ? below[*parent] : used) += tree;
    }
  }
  reservation_.observe(std::move(limits), used);
}

double Core::reported() const {
  double reported = 0;
  for (const RunningJob& job : running_) {
    if (job.in_use && job.use && !job.use->is_measured) reported += number(job.use->held);
  }
  return reported;
}

HeldMemory Core::held_by(const RunningJob& job, double believed) const {
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

JobId Core::most_charged() const {
  const RunningJob* most = nullptr;
  for (const RunningJob& job : running_) {
    if (!job.in_use || job.charge.mean <= 0) continue;
    if (!most || job.charge.mean > most->charge.mean) most = &job;
  }
  return most ? most->job.id : JobId{};
}

/// A measured job without a prediction is charged what it holds: otherwise its memory would count
/// as that of others until the next reading, and then not at all.
void Core::charge(RunningJob& job, TimePoint now) {
  job.charge = charge_of(job, now);
  reservation_.add(job.charge);
}

Reservation::Charge Core::charge_of(const RunningJob& job, TimePoint now) const {
  const Prediction expected = predict(job.job);
  const std::optional<MemoryUse> use = believed_use(job);
  return expected.memory || use
             ? Reservation::charge_of(need_while_running(expected, use, now), use)
             : Reservation::Charge{};
}

std::optional<MemoryUse> Core::believed_use(const RunningJob& job) const {
  const bool is_told = job.use && !job.use->is_measured;
  return is_told ? job.use->part(believed_) : job.use;
}

void Core::charge_all(TimePoint now) {
  if (!reservation_.is_in_force()) return;
  reservation_.clear();
  believed_ = reservation_.believed_part(reported());
  if (permits_.nested() > 0) return charge_trees(now);
  for (RunningJob& job : running_) {
    if (job.in_use) charge(job, now);
  }
}

/// Memory reserved for children is not reserved again for their parents, whose expected need and
/// use include it.
void Core::charge_trees(TimePoint now) {
  struct Below {
    double mean = 0, variance = 0, held = 0;
  };
  std::vector<Below> below(running_.size());
  for (const std::uint32_t slot : children_first()) {
    RunningJob& job = running_[slot];
    const Below& children = below[slot];
    Reservation::Charge whole = charge_of(job, now);
    const auto use = believed_use(job);
    const double held = use ? number(use->held) : 0;
    const double own = std::max(0.0, held - children.held);
    job.charge = whole;
    job.charge.mean = std::max(whole.mean - children.mean, own);
    job.charge.variance = std::max(0.0, whole.variance - children.variance);
    job.own_held = own;
    reservation_.add(job.charge);
    const auto parent = permits_.parent(slot);
    if (!parent) continue;
    below[*parent].mean += job.charge.mean + children.mean;
    below[*parent].variance += job.charge.variance + children.variance;
    below[*parent].held += std::max(held, children.held);
  }
}

}  // namespace sluice

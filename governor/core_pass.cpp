#include <algorithm>
#include <limits>
#include <utility>

#include "governor/core.h"
#include "governor/pass.h"

namespace sluice {

std::vector<Admitted> Core::pass(TimePoint now, std::vector<Decision>* decisions) {
  // A reading may have expired since the last sweep if the window thread hangs.
  judge_all(now);
  saturate(now);
  for (std::size_t tick = 0; tick < boundaries_.size(); ++tick) {
    if (boundaries_[tick].at <= now) boundaries_[tick] = boundary_after(tick + 1, now);
  }
  std::vector<Admitted> admitted;
  if (pending_->empty()) return admitted;
  charge_all(now);
  start_children(now, admitted);
  const auto on_refusal = [&](std::uint32_t slot, const Refusal& refused) {
    if (refused.cost != (*pending_)[slot].cost) pending_->reprice(slot, refused.cost);
    refused_ = refused_ || refused.code == RefusalCode::window;
    if (decisions) tell(*decisions, slot, refused, now);
  };
  const Pass::Look look = decisions ? Pass::Look::all : Pass::Look::startable;
  const bool batch = options_.queueing.contention.batch;
  bool admits = true;
  while (admits) {
    admits = false;
    Pass pass(*this, now, look, on_refusal);
    std::vector<LockProfile> started;  // Under `batch` weights stay as they were.
    while (const auto slot = pass.next()) {
      admits = true;
      Decision decision;
      if (decisions) {
        const PendingJob& job = (*pending_)[*slot];
        decision.weight = weight_of(job, now);
        decision.conflicts = conflicts_of(job.locks);
      }
      PendingJob job = take(*slot);
      job.cost = pass.cost();
      if (batch) {
        started.push_back(job.locks);
      } else {
        locks_started(job.locks);
      }
      const std::uint32_t place = free_slot();
      running_[place].job = std::move(job);
      admitted.push_back(run(place, now));
      if (!decisions) continue;
      decision.job = admitted.back().id;
      decision.cost = admitted.back().cost;
      decision.usage = permits_.usage();
      decision.size = window_.size;
      decision.items = admitted.back().items;
      decisions->push_back(std::move(decision));
    }
    for (const LockProfile& locks : started) locks_started(locks);
  }
  return admitted;
}

void Core::tell(std::vector<Decision>& decisions, std::uint32_t slot, const Refusal& refused,
                TimePoint now) {
  const PendingJob& job = (*pending_)[slot];
  const bool names_job =
      refused.code == RefusalCode::held_for || refused.code == RefusalCode::dependency;
  const Told told{refused.code, refused.binding, names_job ? refused.ahead : JobId{}};
  const auto [found, is_new] = told_.try_emplace(job.id.value, told);
  if (!is_new && std::exchange(found->second, told) == told) return;
  Decision decision;
  decision.job = job.id;
  decision.refusal = refused;
  decision.cost = job.cost;
  decision.usage = permits_.usage();
  decision.size = window_.size;
  decision.weight = weight_of(job, now);
  decisions.push_back(std::move(decision));
}

double Core::weight_of(const PendingJob& job, TimePoint now) const {
  const Ranking& ranking = pending_->ranking();
  if (ranking.mode == ContentionMode::off) return 0;
  const int spv = contention_->spv(job.locks.shape, contention_->hits_of(job.locks));
  const int parts = 10 * std::max(1, ranking.aging_ticks.value_or(1));
  return static_cast<double>(ranking.weight(spv, job.arrived, now)) / parts;
}

/// The running jobs that this one would certainly block on, in order of admission.
std::vector<JobId> Core::conflicts_of(const LockProfile& locks) const {
  std::vector<JobId> conflicts;
  const bool batch = options_.queueing.contention.batch;
  const Hits hits = contention_->hits_of(locks);
  if (!batch && !contention_->certain_conflict(locks.shape, hits)) return conflicts;
  std::vector<const RunningJob*> blockers;
  for (const RunningJob& job : running_) {
    if (job.in_use && contention_->certainly_blocks(locks, job.job.locks)) blockers.push_back(&job);
  }
  std::sort(blockers.begin(), blockers.end(),
            [](const RunningJob* a, const RunningJob* b) { return a->turn < b->turn; });
  for (const RunningJob* job : blockers) conflicts.push_back(job->job.id);
  return conflicts;
}

/// Under `hold`, reserves the locks of jobs whose age is saturated by now.
void Core::saturate(TimePoint now) {
  if (!lock_reservations_) return;
  const ArrivalList& jobs = pending_->by_arrival();
  auto at = jobs.partition_point(
      [&](const ArrivalList::Item& item) { return item.arrival <= saturated_up_to_; });
  for (; !jobs.at_end(at); at = jobs.next(at)) {
    const ArrivalList::Item& item = jobs.at(at);
    if (!pending_->ranking().is_saturated((*pending_)[item.slot].arrived, now)) return;
    saturated_up_to_ = item.arrival;
    reserve_locks(item.slot);
  }
}

void Core::reserve_locks(std::uint32_t slot) {
  const PendingJob& job = (*pending_)[slot];
  const bool wants =
      lock_reservations_ && job.parked == Parked::no && job.arrival <= saturated_up_to_;
  if (!wants || !reserving_.insert(slot).second) return;
  lock_reservations_->add(job.locks, contention_->shape(job.locks.shape), {job.arrival, slot});
}

void Core::unreserve_locks(std::uint32_t slot) {
  if (reserving_.erase(slot) == 0) return;
  const PendingJob& job = (*pending_)[slot];
  lock_reservations_->remove(job.locks, contention_->shape(job.locks.shape), {job.arrival, slot});
}

PendingJob Core::take(std::uint32_t slot) {
  unreserve_locks(slot);
  PendingJob job = pending_->remove(slot);
  forget_boundaries(job);
  delist_highlander(job);
  delist_child(job);
  waits_.erase(job.id.value);
  told_.erase(job.id.value);
  return job;
}

void Core::locks_started(const LockProfile& locks) {
  flipped_.clear();
  contention_->start(locks, flipped_);
  if (!flipped_.empty()) pending_->names_flipped(flipped_);
}

void Core::locks_finished(const LockProfile& locks) {
  flipped_.clear();
  contention_->finish(locks, flipped_);
  if (!flipped_.empty()) pending_->names_flipped(flipped_);
}

std::optional<Refusal> Core::ineligible(const PendingJob& job) const {
  const std::vector<Place> parents = line_of(job);
  if (queues_[job.queue].paused && parents.empty()) {
    return refusal(RefusalCode::queue_paused, queues_[job.queue].name, job.cost);
  }
  if (job.is_frozen) return refusal(RefusalCode::frozen, "frozen", job.cost);
  if (auto refused = held_by_dependency(job)) return refused;
  if (job.rule != 0) return refusal(RefusalCode::rule, rule_names_[job.rule - 1], job.cost);
  if (auto refused = held_by_rate(job, parents)) return refused;
  if (!lock_reservations_) return std::nullopt;
  return parents.empty() ? held_by_contention(job) : held_by_strangers(job);
}

/// In the order of `ineligible`.
std::vector<Refusal> Core::all_ineligible(const PendingJob& job) const {
  const std::vector<Place> parents = line_of(job);
  std::vector<Refusal> all;
  if (queues_[job.queue].paused && parents.empty()) {
    all.push_back(refusal(RefusalCode::queue_paused, queues_[job.queue].name, job.cost));
  }
  if (job.is_frozen) all.push_back(refusal(RefusalCode::frozen, "frozen", job.cost));
  if (const auto refused = held_by_dependency(job)) all.push_back(*refused);
  if (job.rule != 0) all.push_back(refusal(RefusalCode::rule, rule_names_[job.rule - 1], job.cost));
  if (const auto refused = held_by_rate(job, parents)) all.push_back(*refused);
  if (!lock_reservations_) return all;
  if (const auto refused = parents.empty() ? held_by_contention(job) : held_by_strangers(job)) {
    all.push_back(*refused);
  }
  return all;
}

std::optional<Refusal> Core::held_by_dependency(const PendingJob& job) const {
  const auto waits = waits_.empty() ? waits_.end() : waits_.find(job.id.value);
  if (waits == waits_.end()) return std::nullopt;
  Refusal refused = refusal(RefusalCode::dependency, "after", job.cost);
  const Waits& what = waits->second;
  refused.ahead = what.failed != JobId{} ? what.failed : what.open.front();
  return refused;
}

std::optional<Refusal> Core::held_by_rate(const PendingJob& job,
                                          const std::vector<Place>& parents) const {
  std::vector<std::uint32_t> parents_limits;
  for (const Place parent : parents) parents_limits.push_back(running_[parent].job.limits);
  const auto full = limits_.full(job.limits, parents_limits);
  if (!full) return std::nullopt;
  Refusal refused = refusal(RefusalCode::rate_limit, full->label, job.cost);
  refused.needs = 1;
  refused.free = full->n - full->running;
  refused.total = full->n;
  return refused;
}

std::optional<Refusal> Core::held_by_contention(const PendingJob& job) const {
  const LockShape& shape = contention_->shape(job.locks.shape);
  const Hits hits = contention_->hits_of(job.locks);
  if (const auto level = contention_->certain_conflict(job.locks.shape, hits)) {
    const bool global = *level == contention_->levels().size();
    return refusal(RefusalCode::contention, global ? kGlobalLock : level_names_[*level], job.cost);
  }
  if (lock_reservations_->empty()) return std::nullopt;
  const bool boosts = pending_->ranking().boosts_priority;
  const auto binds = [&](std::uint32_t slot) {
    const PendingJob& aged = (*pending_)[slot];
    return (boosts || aged.priority >= job.priority) && !queues_[aged.queue].paused &&
           !limits_.is_full(aged.limits);
  };
  const auto aged = lock_reservations_->first_against(job.locks, shape, job.arrival, binds);
  if (!aged) return std::nullopt;
  Refusal refused = refusal(RefusalCode::held_for, "locks", job.cost);
  refused.ahead = (*pending_)[aged->slot].id;
  return refused;
}

/// Whether the jobs of a strand may start, by everything they have in common.
bool Core::may_start(const void* context, const Strand& strand) {
  const Core& core = *static_cast<const Core*>(context);
  if (strand.key.parked != Parked::no || core.queues_[strand.key.queue].paused) return false;
  if (core.limits_.is_full(strand.key.limits)) return false;
  if (!core.lock_reservations_) return true;
  return !core.contention_->certain_conflict(strand.bucket->shape, strand.bucket->hits);
}

std::optional<Core::Front> Core::front(TimePoint now) const {
  std::optional<Front> front;
  std::optional<Rank> best;
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    if (pending_->size_of(queue) == 0) continue;
    PendingQueue::Walk walk(*pending_, queue, now, this, may_start);
    auto slot = walk.next();
    while (slot && ineligible((*pending_)[*slot])) slot = walk.next();
    if (!slot || (best && *best < walk.rank())) continue;
    const PendingJob& job = (*pending_)[*slot];
    best = walk.rank();
    const bool lifted = best->unsaturated == 0;
    front = Front{job.id, lifted ? std::numeric_limits<int>::max() : job.priority, job.cost};
  }
  return front;
}

std::optional<Refusal> Core::shortage_of(const PendingJob& job, TimePoint now) const {
  return Pass(*this, now, Pass::Look::startable, {}).shortage_of(job);
}

void Core::note_boundaries(const PendingJob& job) {
  for (std::size_t tick = 0; tick < boundaries_.size(); ++tick) {
    if (boundaries_[tick].at != TimePoint::max()) continue;
    const Duration age = pending_->ranking().tick * static_cast<std::int64_t>(tick + 1);
    boundaries_[tick] = {job.arrived + age, job.arrival};
  }
}

void Core::forget_boundaries(const PendingJob& job) {
  for (Boundary& boundary : boundaries_) {
    if (boundary.arrival == job.arrival) boundary = {TimePoint::min(), 0};
  }
}

/// The first time after `now` at which a pending job's age becomes `ticks`.
Core::Boundary Core::boundary_after(std::size_t ticks, TimePoint now) const {
  const Duration age = pending_->ranking().tick * static_cast<std::int64_t>(ticks);
  const ArrivalList& jobs = pending_->by_arrival();
  const auto at = jobs.partition_point(
      [&](const ArrivalList::Item& item) { return (*pending_)[item.slot].arrived + age <= now; });
  if (jobs.at_end(at)) return {TimePoint::max(), 0};
  const ArrivalList::Item& item = jobs.at(at);
  return {(*pending_)[item.slot].arrived + age, item.arrival};
}

std::optional<TimePoint> Core::next_boundary(TimePoint now) const {
  TimePoint next = TimePoint::max();
  for (std::size_t tick = 0; tick < boundaries_.size(); ++tick) {
    const bool known = boundaries_[tick].at > now;
    next = std::min(next, known ? boundaries_[tick].at : boundary_after(tick + 1, now).at);
  }
  return next == TimePoint::max() ? std::nullopt : std::optional(next);
}

}  // namespace sluice

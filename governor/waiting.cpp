#include "governor/waiting.h"

#include <utility>

#include "governor/nesting.h"
#include "governor/request_conversion.h"

namespace sluice {
namespace {

Parked parked_of(const CoreState& core, const PendingJob& job) {
  if (job.is_frozen) return Parked::frozen;
  if (core.dependencies.holds(job.id)) return Parked::dependency;
  return job.rule != 0 ? Parked::rule : Parked::no;
}

void enlist_highlander(CoreState& core, const PendingJob& job) {
  if (job.needs == 0) return;
  const Needs& needs = core.needs[job.needs];
  for (const ResourceNeed& need : needs.resources) {
    if (core.resources.is_highlander(need.manager)) {
      core.highlanders[{need.manager, needs.key}].insert(job.id);
    }
  }
}

}  // namespace

void reserve_locks(CoreState& core, std::uint32_t slot) {
  const PendingJob& job = (*core.pending)[slot];
  const bool wants =
      core.lock_reservations && job.parked == Parked::no && job.arrival <= core.saturated_up_to;
  if (!wants || !core.reserving.insert(slot).second) return;
  core.lock_reservations->add(job.locks, core.contention->shape(job.locks.shape),
                              {job.arrival, slot});
}

void unreserve_locks(CoreState& core, std::uint32_t slot) {
  if (core.reserving.erase(slot) == 0) return;
  const PendingJob& job = (*core.pending)[slot];
  core.lock_reservations->remove(job.locks, core.contention->shape(job.locks.shape),
                                 {job.arrival, slot});
}

void reserve_locks_of_saturated(CoreState& core, TimePoint now) {
  if (!core.lock_reservations) return;
  const ArrivalList& jobs = core.pending->by_arrival();
  auto at = jobs.partition_point(
      [&](const ArrivalList::Item& item) { return item.arrival <= core.saturated_up_to; });
  for (; !jobs.at_end(at); at = jobs.next(at)) {
    const ArrivalList::Item& item = jobs.at(at);
    if (!core.pending->ranking().is_saturated((*core.pending)[item.slot].arrived, now)) return;
    core.saturated_up_to = item.arrival;
    reserve_locks(core, item.slot);
  }
}

std::uint32_t add_pending(CoreState& core, PendingJob job) {
  job.parked = parked_of(core, job);
  core.boundaries.add_job(job, core.pending->ranking().tick);
  enlist_highlander(core, job);
  enlist_child(core, job);
  return core.pending->add(std::move(job));
}

PendingJob remove_pending(CoreState& core, std::uint32_t slot) {
  unreserve_locks(core, slot);
  PendingJob job = core.pending->remove(slot);
  core.boundaries.forget(job);
  delist_highlander(core, job);
  delist_child(core, job);
  core.dependencies.forget(job.id);
  core.reported_refusals.erase(job.id.value);
  return job;
}

void update_parked(CoreState& core, std::uint32_t slot) {
  const Parked parked = parked_of(core, (*core.pending)[slot]);
  if (parked == (*core.pending)[slot].parked) return;
  unreserve_locks(core, slot);
  core.pending->update(slot, [&](PendingJob& job) { job.parked = parked; });
  reserve_locks(core, slot);
}

void add_running_locks(CoreState& core, const LockProfile& locks) {
  core.flipped.clear();
  core.contention->start(locks, core.flipped);
  if (!core.flipped.empty()) core.pending->names_flipped(core.flipped);
}

void remove_running_locks(CoreState& core, const LockProfile& locks) {
  core.flipped.clear();
  core.contention->finish(locks, core.flipped);
  if (!core.flipped.empty()) core.pending->names_flipped(core.flipped);
}

std::optional<JobId> waiting_highlander(const CoreState& core, const PendingJob& job) {
  if (job.needs == 0) return std::nullopt;
  Needs needs = core.needs[job.needs];
  needs.resources = needs_beyond_parents(core, job, std::move(needs.resources));
  for (const ResourceNeed& need : needs.resources) {
    if (!core.resources.is_highlander(need.manager)) continue;
    const auto found = core.highlanders.find({need.manager, needs.key});
    if (found != core.highlanders.end()) return *found->second.begin();
  }
  return std::nullopt;
}

void delist_highlander(CoreState& core, const PendingJob& job) {
  if (job.needs == 0) return;
  const Needs& needs = core.needs[job.needs];
  for (const ResourceNeed& need : needs.resources) {
    const auto found = core.highlanders.find({need.manager, needs.key});
    if (found == core.highlanders.end()) continue;
    found->second.erase(job.id);
    if (found->second.empty()) core.highlanders.erase(found);
  }
}

std::optional<Refusal> await(CoreState& core, const PendingJob& job,
                             const std::vector<JobId>& after) {
  if (after.empty()) return std::nullopt;
  std::vector<JobId> parents;
  for (const auto place : core.running.line_of(job)) parents.push_back(core.running[place].job.id);
  const auto is_alive = [&](JobId id) { return core.pending->find(id) || core.running.find(id); };
  const auto hopeless = core.dependencies.await(job, after, parents, is_alive);
  if (!hopeless) return std::nullopt;
  return core.refusal(RefusalCode::dependency, "after", job.cost, *hopeless);
}

void resolve_dependents(CoreState& core, JobId id, JobEnd end) {
  for (const Dependencies::Resolved& each : core.dependencies.resolve(id, end)) {
    const auto slot = core.pending->find(each.job);
    if (!slot) continue;
    if (each.failed == JobId{}) {
      update_parked(core, *slot);
      continue;
    }
    const Points cost = (*core.pending)[*slot].cost;
    core.ended.push_back(
        {each.job, core.refusal(RefusalCode::dependency, "after", cost, each.failed)});
    ++core.counters.cancelled;
    discard(core, remove_pending(core, *slot));
  }
}

}  // namespace sluice

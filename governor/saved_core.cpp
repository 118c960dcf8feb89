#include "governor/saved_core.h"

#include <algorithm>
#include <set>
#include <utility>

#include "governor/booking.h"
#include "governor/red_sensors.h"
#include "governor/reload.h"
#include "governor/request_conversion.h"
#include "governor/waiting.h"

namespace sluice {
namespace {

SavedJob saved_job(const CoreState& core, const PendingJob& job) {
  const auto siblings = core.waiting_children.find(job.parent);
  const bool is_on_permit = siblings != core.waiting_children.end() &&
                            siblings->second.contains({-std::int64_t{job.priority}, job.id});
  return {.id = job.id,
          .request = request_of(core, job),
          .cost = job.cost,
          .queue = job.queue,
          .arrived = job.arrived,
          .order = {job.arrival, job.order.whole, job.order.part},
          .is_frozen = job.is_frozen,
          .is_on_permit = is_on_permit};
}

void save_jobs(const CoreState& core, SavedCore& saved_core) {
  for (std::uint32_t slot = 0; slot < core.running.size(); ++slot) {
    const RunningJob& running = core.running[slot];
    if (!running.in_use) continue;
    saved_core.running.push_back({.slot = slot,
                                  .permit = core.running.permits().parent(slot),
                                  .job = saved_job(core, running.job),
                                  .state = running});
  }
  const ArrivalList& jobs = core.pending->by_arrival();
  for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
    saved_core.pending.push_back(saved_job(core, (*core.pending)[jobs.at(at).slot]));
  }
}

PendingJob restored(CoreState& core, const SavedJob& saved) {
  PendingJob job = prepare(core, saved.request, saved.id, saved.cost, saved.queue);
  job.arrived = saved.arrived;
  job.arrival = saved.order.arrival;
  job.order = {saved.order.whole, saved.order.part};
  job.is_frozen = saved.is_frozen;
  return job;
}

void restore_running(CoreState& core, const SavedCore& saved) {
  const std::size_t slots = saved.running.size() + saved.free_slots.size();
  std::vector<RunningJob> jobs(slots);
  std::vector<std::optional<RunningJobs::Place>> permits(slots);
  for (const SavedRunningJob& each : saved.running) {
    RunningJob& running = jobs[each.slot];
    running.job = restored(core, each.job);
    claim_needs(core, running);
    static_cast<RunningState&>(running) = each.state;
    running.in_use = true;
    permits[each.slot] = each.permit;
    add_running_locks(core, running.job.locks);
    core.limits.start(running.job.limits);
    ++core.queues[running.job.queue].running;
  }
  core.running = RunningJobs(std::move(jobs), permits, saved.free_slots);
}

void restore_pending(CoreState& core, const SavedCore& saved) {
  core.saturated_up_to = saved.saturated_up_to;
  for (const SavedJob& each : saved.pending) {
    reserve_locks(core, add_pending(core, restored(core, each)));
  }
  // Which parents ran when a child came is not known any more.
  core.waiting_children.clear();
  for (const SavedJob& each : saved.pending) {
    if (!each.is_on_permit) continue;
    const std::int64_t priority = each.request.priority.value_or(0);
    core.waiting_children[each.request.parent].insert({-priority, each.id});
  }
}

/// `core`: just created with the options and sensors of `saved`.
void enter(CoreState& core, const SavedCore& saved, TimePoint now) {
  for (const std::string& name : saved.names) core.names.intern(name);
  core.queues.restore(saved.queues, core.options.queueing, core.names);
  core.resources.restore(saved.managers, core.options.queueing.resources);
  rebuild(core, now);
  static_cast<LastingState&>(core) = saved.lasting;
  core.dependencies =
      Dependencies(FailedJobs(saved.failed_jobs), saved.expected_jobs, saved.awaiting);
  core.reservation.take_over(saved.memory, saved.reserved);
  restore_running(core, saved);
  restore_pending(core, saved);
  judge_all(core, core.judged_at);
}

}  // namespace

bool may_start_over(const CoreState& core) {
  return core.ended.empty() && core.running.count() + core.pending->size() <= kMostSavedJobs;
}

SavedCore state_of(const CoreState& core) {
  SavedCore saved{.options = core.options,
                  .sensors = core.sensors,
                  .lasting = core,
                  .names = {core.names.begin(), core.names.end()},
                  .queues = core.queues.saved(),
                  .managers = core.resources.saved(),
                  .memory = core.reservation.levels(),
                  .reserved = core.reservation.sums(),
                  .failed_jobs = core.dependencies.failed().numbers(),
                  .expected_jobs = core.dependencies.expected(),
                  .awaiting = core.dependencies.awaiting(),
                  .saturated_up_to = core.saturated_up_to,
                  .running = {},
                  .free_slots = core.running.free_slots(),
                  .pending = {}};
  save_jobs(core, saved);
  return saved;
}

SavedCore start_over(CoreState& core, SavedCore saved, TimePoint now) {
  CoreState next(core.options, core.cost_model, core.sensors, now);
  // Refusals that callers still have point into these.
  next.names = std::move(core.names);
  next.limits = std::move(core.limits);
  next.limits.forget_all();
  next.resources = std::move(core.resources);
  enter(next, saved, now);
  core = std::move(next);
  return saved;
}

bool is_consistent(const SavedCore& saved) {
  const auto has_queue = [&](const SavedJob& job) { return job.queue < saved.queues.size(); };
  const auto has_manager = [&](const ResourceNeed& need) {
    return need.manager < saved.managers.size();
  };
  std::map<std::uint32_t, std::uint64_t> turns;
  for (const SavedRunningJob& each : saved.running) turns[each.slot] = each.state.turn;
  std::set<std::uint32_t> slots(saved.free_slots.begin(), saved.free_slots.end());
  for (const auto& [slot, turn] : turns) slots.insert(slot);
  const std::size_t count = saved.running.size() + saved.free_slots.size();
  const bool fills_slots = slots.size() == count && (count == 0 || *slots.rbegin() == count - 1);
  const auto runs = [&](const SavedRunningJob& each) {
    const auto permit = each.permit ? turns.find(*each.permit) : turns.end();
    const bool has_permit =
        !each.permit || (permit != turns.end() && permit->second < each.state.turn);
    return has_permit && has_queue(each.job) && std::ranges::all_of(each.state.needs, has_manager);
  };
  const auto has_parent = [&](const SavedQueue& queue) {
    return queue.parent < saved.queues.size();
  };
  return fills_slots && !saved.options.queueing.queues.empty() &&
         std::ranges::all_of(saved.queues, has_parent) &&
         std::ranges::all_of(saved.running, runs) && std::ranges::all_of(saved.pending, has_queue);
}

CoreState core_in(const SavedCore& saved, CostModel model, TimePoint now) {
  CoreState core(saved.options, std::move(model), saved.sensors, now);
  enter(core, saved, now);
  return core;
}

}  // namespace sluice

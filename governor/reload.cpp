#include "governor/reload.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "governor/cpu_admission.h"
#include "governor/cpu_cost.h"
#include "governor/job_cost.h"
#include "governor/memory_charge.h"
#include "governor/nesting.h"
#include "governor/red_sensors.h"
#include "governor/request_conversion.h"
#include "governor/validation/check_request.h"
#include "governor/waiting.h"
#include "governor/window_control.h"

namespace sluice {
namespace {

/// Whether a sensor that was never read has kept every job out so far, so that the window has
/// learned nothing.
bool is_blind(const std::vector<KnownSensor>& sensors) {
  return std::any_of(sensors.begin(), sensors.end(), [](const KnownSensor& sensor) {
    return sensor.policy.on_error == OnError::red && !sensor.sensor_state.reading;
  });
}

/// A pending job taken out of the indexes, and its request in the words of its user.
struct Waiting {
  PendingJob job;
  JobRequest request;
};

std::vector<Waiting> take_all_pending(CoreState& core) {
  std::vector<Waiting> waiting;
  if (!core.pending) return waiting;
  std::vector<std::uint32_t> slots;
  const ArrivalList& jobs = core.pending->by_arrival();
  for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
    slots.push_back(jobs.at(at).slot);
  }
  for (const std::uint32_t slot : slots) {
    JobRequest request = request_of(core, (*core.pending)[slot]);
    PendingJob job = core.pending->remove(slot);
    discard(core, job);
    waiting.push_back({std::move(job), std::move(request)});
  }
  return waiting;
}

void intern_names(CoreState& core) {
  core.rule_names.clear();
  for (std::size_t rule = 0; rule < core.options.queueing.rules.size(); ++rule) {
    core.rule_names.push_back(core.names.intern("rules[" + std::to_string(rule) + "]"));
  }
  core.level_names.clear();
  for (const std::string& level : core.options.queueing.contention.levels) {
    core.level_names.push_back(core.names.intern(level));
  }
}

void empty_indexes(CoreState& core) {
  const ContentionOptions& contention = core.options.queueing.contention;
  core.contention = std::make_unique<Contention>(contention);
  core.pending = std::make_unique<PendingQueue>(
      // Without weights, age does not affect the order, not even across priorities.
      Ranking{contention.mode, contention.tick, contention.aging_ticks,
              contention.boosts_priority && contention.mode != ContentionMode::off},
      *core.contention);
  core.lock_reservations.reset();
  if (contention.mode == ContentionMode::hold) core.lock_reservations.emplace(contention);
  core.reserving.clear();
  core.highlanders.clear();
  core.saturated_up_to = 0;
  core.plain_locks = core.contention->learn(std::nullopt, false);
}

void relearn(CoreState& core, PendingJob& running, const JobRequest& request) {
  running.locks = core.contention->learn(request.locks, request.global_lock);
  add_running_locks(core, running.locks);
  core.limits.finish(running.limits);
  core.limits.forget(running.limits);
  running.limits = core.limits.learn(limits_of(core, request, running.id));
  core.limits.start(running.limits);
}

/// Requeues a pending job under the new options; false if a rule rejects it now.
bool readmit(CoreState& core, PendingJob before, JobRequest request) {
  const std::uint32_t queue = queue_for(core, request);
  if (const auto refused = refused_by_rule(core, request, before.id, before.cost)) {
    core.ended.push_back({before.id, *refused});
    ++core.counters.cancelled;
    delist_child(core, before);
    core.dependencies.forget(before.id);
    core.reported_refusals.erase(before.id.value);
    return false;
  }
  PendingJob job = prepare(core, std::move(request), before.id, before.cost, queue);
  job.arrived = before.arrived;
  job.arrival = before.arrival;
  job.order = before.order;
  job.is_frozen = before.is_frozen;
  add_pending(core, std::move(job));
  return true;
}

}  // namespace

void rebuild(CoreState& core, TimePoint now) {
  std::vector<Waiting> waiting = take_all_pending(core);
  // Converted back with the old names and levels, before those are dropped.
  std::vector<JobRequest> still_running(core.running.size());
  for (std::size_t at = 0; at < core.running.size(); ++at) {
    if (core.running[at].in_use) still_running[at] = request_of(core, core.running[at].job);
  }
  intern_names(core);
  empty_indexes(core);
  if (core.queues.empty()) core.queues.configure(core.options.queueing, {}, core.names);
  for (std::size_t at = 0; at < still_running.size(); ++at) {
    if (core.running[at].in_use) relearn(core, core.running[at].job, still_running[at]);
  }
  std::vector<JobId> rejected;
  for (Waiting& each : waiting) {
    const JobId id = each.job.id;
    if (!readmit(core, std::move(each.job), std::move(each.request))) rejected.push_back(id);
  }
  for (const JobId id : rejected) resolve_dependents(core, id, JobEnd::failed);
  const ContentionOptions& contention = core.options.queueing.contention;
  const bool ages = contention.mode != ContentionMode::off;
  core.boundaries.rebuild(ages ? static_cast<std::size_t>(contention.aging_ticks.value_or(0)) : 0,
                          *core.pending, now);
}

std::optional<BadRequest> check_reload(const CoreState& core, const QueueingOptions& options) {
  const auto& levels = options.contention.levels;
  const auto error_in = [&](const JobRequest& job, JobId id) -> std::optional<BadRequest> {
    const std::string who = " is still needed by job " + std::to_string(id.value);
    if (!configured_queue(options, job.queue)) {
      return BadRequest{"queues." + job.queue, "queue " + job.queue + who};
    }
    for (const ResourceDemand& demand : job.resources) {
      if (options.resources.contains(demand.manager)) continue;
      return BadRequest{"resources." + demand.manager, "manager " + demand.manager + who};
    }
    for (const LevelLocks& locks : job.locks ? *job.locks : std::vector<LevelLocks>{}) {
      if (std::find(levels.begin(), levels.end(), locks.level) != levels.end()) continue;
      return BadRequest{"contention.levels", "lock level " + locks.level + who};
    }
    return std::nullopt;
  };
  for (const RunningJob& job : core.running) {
    if (!job.in_use) continue;
    if (auto bad = error_in(request_of(core, job.job), job.job.id)) return bad;
  }
  const ArrivalList& jobs = core.pending->by_arrival();
  for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
    const PendingJob& job = (*core.pending)[jobs.at(at).slot];
    if (auto bad = error_in(request_of(core, job), job.id)) return bad;
  }
  for (const ResourceStatus& manager : core.resources.status()) {
    if (options.resources.contains(manager.key) || !core.resources.in_use(manager.key)) continue;
    return BadRequest{"resources." + manager.key,
                      "manager " + manager.key + " is still held by running jobs"};
  }
  return std::nullopt;
}

std::optional<WindowChange> reload(CoreState& core, GovernorOptions options, CostModel cost_model,
                                   std::vector<KnownSensor> sensors, TimePoint now) {
  const WindowState window = is_blind(core.sensors) ? open_window(options.window, now)
                                                    : refit_window(options.window, core.window);
  for (KnownSensor& sensor : sensors) {
    const auto known = std::ranges::find(core.sensors, sensor.name, &KnownSensor::name);
    if (known != core.sensors.end()) sensor.sensor_state = std::move(known->sensor_state);
  }
  const Law law = core.options.window.law;
  const bool queueing_changed = !(options.queueing == core.options.queueing);
  const QueueingOptions before = std::exchange(core.options, std::move(options)).queueing;
  core.cost_model = std::move(cost_model);
  const bool was_knee = law == Law::knee, is_knee = core.options.window.law == Law::knee;
  if (was_knee && !is_knee) end_repricing(core);
  for (RunningJob& job : core.running) {
    if (job.in_use && is_knee && !was_knee) expect_demand(core, job, now);
  }
  core.sensors = std::move(sensors);
  core.reservation.configure(core.options.reservation);
  core.reservation.set_declared_total(core.options.queueing.declared_memory);
  charge_all(core, now);
  reprice_all(core);
  if (queueing_changed) {
    core.queues.configure(core.options.queueing, before, core.names);
    core.resources.reconfigure(core.options.queueing.resources);
    rebuild(core, now);
  }
  judge_all(core, now);
  return change_window(core, {window, WindowCause::reload, {}}, now);
}

}  // namespace sluice

#include "governor/views.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "governor/books/queue_walk.h"
#include "governor/cpu_use.h"
#include "governor/eligibility.h"
#include "governor/job_cost.h"
#include "governor/memory_charge.h"
#include "governor/red_sensors.h"
#include "governor/request_conversion.h"
#include "governor/short_of_capacity.h"
#include "governor/why_waiting.h"
#include "governor/window_control.h"

namespace sluice {
namespace {

SensorStatus status_of(const KnownSensor& sensor, TimePoint now) {
  SensorStatus status;
  status.name = sensor.name;
  status.policy = sensor.policy;
  const auto judged = effective_state(sensor.name, sensor.policy, sensor.sensor_state, now);
  status.red = judged && judged->red;
  status.ignored = !judged;
  status.up = sensor.sensor_state.up;
  status.fresh = is_fresh(sensor.policy, sensor.sensor_state, now);
  status.reading = sensor.sensor_state.reading;
  status.taken = sensor.sensor_state.taken;
  status.failure = sensor.sensor_state.failure;
  status.failures = sensor.sensor_state.failures;
  status.read_duration = sensor.read_duration;
  return status;
}

std::vector<SensorStatus> own_sensors(const CoreState& core, TimePoint now) {
  const auto own = [&](std::string name, Reading reading) {
    SensorStatus status;
    status.name = std::move(name);
    status.policy.resume = 1;
    status.red = reading.pressure() >= 1;
    status.up = status.fresh = true;
    status.taken = now;
    status.reading = std::move(reading);
    return status;
  };
  const bool stopped = core.operated != Switch::running;
  Reading pause;
  pause.conditions.push_back(
      {"paused", stopped ? 1.0 : 0.0, 1.0, std::nullopt, Unit::count, stopped ? 1.0 : 0.0});
  pause.sentence = core.operated == Switch::draining ? "draining" : stopped ? "paused" : "running";
  std::vector<SensorStatus> sensors{own("pause", std::move(pause))};
  if (core.options.starting != Presence::off) {
    sensors.push_back(
        own("starting",
            starting_reading(core.options, static_cast<std::int64_t>(core.running.starting()),
                             static_cast<std::int64_t>(core.running.count()))));
  }
  return sensors;
}

/// A queue behind a job of another one waits for what that job waits for.
std::optional<Refusal> first_limiting(const std::vector<QueueStatus>& queues) {
  std::optional<Refusal> behind;
  for (const QueueStatus& queue : queues) {
    if (!queue.limiting) continue;
    if (queue.limiting->code != RefusalCode::behind) return queue.limiting;
    if (!behind) behind = queue.limiting;
  }
  return behind;
}

std::vector<QueueStatus> queue_status(const CoreState& core, TimePoint now) {
  std::vector<QueueStatus> all;
  const std::vector<HeldMemory> held = held_by_queue(core);
  const Verdicts said = core.pending->empty() ? Verdicts{} : verdicts(core, now);
  for (std::uint32_t number = 0; number < core.queues.size(); ++number) {
    const JobQueue& queue = core.queues[number];
    const bool has_jobs = queue.running > 0 || core.pending->size_of(number) > 0;
    if (!queue.is_configured || (core.queues.is_branch(number) && !has_jobs)) continue;
    QueueStatus& status = all.emplace_back();
    status.name = queue.name;
    if (core.queues.is_branch(number)) status.branch_of = core.queues[queue.parent].name;
    status.paused = queue.paused;
    status.running = queue.running;
    status.ended = queue.ended;
    status.memory = held[number];
    status.pending = core.pending->size_of(number);
    status.pending_cost = core.pending->cost_of(number);
    const PendingQueue::Parking parked = core.pending->parked_of(number);
    status.held = queue.paused ? status.pending : parked.jobs;
    status.held_cost = queue.paused ? status.pending_cost : parked.cost;
    if (status.pending == 0) continue;
    status.oldest_arrival = core.pending->oldest_of(number);
    QueueWalk walk(*core.pending, number, now, &core, may_start);
    auto first = walk.next();
    if (!first) {
      first = QueueWalk(*core.pending, number, now).next();
    }
    status.limiting = refusal_of(core, *first, said);
    status.blockers = blockers_of(core, (*core.pending)[*first], status.limiting, now);
  }
  std::ranges::sort(all, {}, &QueueStatus::name);
  return all;
}

std::vector<ResourceStatus> resource_status(const CoreState& core) {
  std::vector<ResourceStatus> all = core.resources.status();
  if (all.empty()) return all;
  std::map<std::string_view, std::size_t> waiting;
  for (const auto& [needs, jobs] : core.pending->count_by_needs()) {
    for (const ResourceNeed& need : core.needs[needs].resources) {
      waiting[core.resources.standing(need, core.needs[needs].key).manager] += jobs;
    }
  }
  for (ResourceStatus& status : all) status.waiting = waiting[status.key];
  return all;
}

JobView view(const CoreState& core, const RunningJob& running) {
  JobView view;
  view.id = running.job.id;
  view.request = request_of(core, running.job);
  view.state = JobState::running;
  view.cost = running.job.cost;
  view.starting = running.starting;
  view.arrived = running.job.arrived;
  view.admitted = running.admitted;
  view.items = running.items;
  return view;
}

JobView view(const CoreState& core, std::uint32_t slot, std::size_t place,
             const Verdicts& verdicts) {
  const PendingJob& job = (*core.pending)[slot];
  JobView view;
  view.id = job.id;
  view.request = request_of(core, job);
  view.cost = job.cost;
  view.arrived = job.arrived;
  view.place = place;
  view.refusal = refusal_of(core, slot, verdicts);
  view.frozen = job.is_frozen;
  view.order = {job.arrival, job.order.whole, job.order.part};
  return view;
}

void explain_weight(const CoreState& core, Explanation& explanation, const PendingJob& job,
                    TimePoint now) {
  explanation.certain_conflicts = conflicts_of(core, job.locks);
  if (core.pending->ranking().mode == ContentionMode::off) return;
  const Hits hits = core.contention->hits_of(job.locks);
  explanation.spv_tenths = core.contention->spv(job.locks.shape, hits);
  explanation.weight = weight_of(core, job, now);
  const std::vector<const RunningJob*> running = core.running.in_order();
  const bool wants_all = core.contention->shape(job.locks.shape).global;
  const auto holder = std::find_if(running.begin(), running.end(), [&](const RunningJob* other) {
    return wants_all || core.contention->shape(other->job.locks.shape).global;
  });
  if (holder != running.end()) explanation.global_lock_by = (*holder)->job.id;
  for (std::size_t level = 0; level < core.contention->levels().size(); ++level) {
    LevelWeight weight;
    weight.level = core.contention->levels()[level];
    weight.tenths = core.contention->level_value(job.locks.shape, hits, level);
    const auto cause = std::find_if(running.begin(), running.end(), [&](const RunningJob* other) {
      return weight.tenths > 0 &&
             core.contention->value_against(job.locks, other->job.locks, level) == weight.tenths;
    });
    if (cause != running.end()) weight.by = (*cause)->job.id;
    explanation.levels.push_back(std::move(weight));
  }
}

}  // namespace

Status status(const CoreState& core, TimePoint now) {
  Status status;
  status.now = now;
  status.law = core.options.window.law;
  status.size = core.window.size;
  status.usage = core.running.permits().usage();
  status.minimum = core.options.window.minimum;
  status.maximum = core.options.window.maximum;
  if (status.law != Law::rfc) status.threshold = core.window.threshold;
  status.running = core.running.count();
  status.pending = core.pending->size();
  status.starting = core.running.starting();
  status.pending_cost = core.pending->cost();
  if (!core.pending->empty()) {
    status.oldest_arrival = (*core.pending)[core.pending->by_arrival().front().slot].arrived;
  }
  status.registered = core.registration.registered;
  status.paused = core.operated == Switch::paused;
  status.draining = core.operated == Switch::draining;
  status.full = why_full(core);
  status.blockers = all_full(core);
  status.queues = queue_status(core, now);
  status.resources = resource_status(core);
  status.limiting = first_limiting(status.queues);
  status.last_change = core.last_change;
  status.cpu = cpu_status(core, now);
  status.short_of_capacity = is_short_of_capacity(core, now);
  status.memory = core.reservation.status();
  if (status.memory) status.memory->most = most_charged(core);
  for (const KnownSensor& sensor : core.sensors) status.sensors.push_back(status_of(sensor, now));
  for (SensorStatus& own : own_sensors(core, now)) status.sensors.push_back(std::move(own));
  status.counters = core.counters;
  return status;
}

std::vector<JobView> jobs(const CoreState& core, TimePoint now) {
  std::vector<JobView> views;
  views.reserve(core.running.count() + core.pending->size());
  for (const RunningJob* job : core.running.in_order()) views.push_back(view(core, *job));
  if (core.pending->empty()) return views;
  const Verdicts said = verdicts(core, now);
  for (std::uint32_t queue = 0; queue < core.queues.size(); ++queue) {
    QueueWalk walk(*core.pending, queue, now);
    std::size_t place = 0;
    while (const auto slot = walk.next()) views.push_back(view(core, *slot, ++place, said));
  }
  return views;
}

std::optional<JobView> job(const CoreState& core, JobId id, TimePoint now) {
  if (const auto slot = core.pending->find(id)) {
    return view(core, *slot, core.pending->place(*slot, now), verdicts(core, now));
  }
  const RunningJob* running = core.running.find(id);
  return running ? std::optional(view(core, *running)) : std::nullopt;
}

std::optional<Explanation> explain(const CoreState& core, JobId id, TimePoint now) {
  auto seen = job(core, id, now);
  if (!seen) return std::nullopt;
  Explanation explanation;
  explanation.job = *std::move(seen);
  explanation.base_tenths = core.contention->base();
  explanation.aging_ticks = core.pending->ranking().aging_ticks;
  const auto slot = core.pending->find(id);
  if (!slot) return explanation;
  const PendingJob& pending = (*core.pending)[*slot];
  explanation.age_ticks = core.pending->ranking().age(pending.arrived, now);
  if (explanation.aging_ticks) {
    explanation.saturates =
        pending.arrived + core.pending->ranking().tick * *explanation.aging_ticks;
  }
  explanation.blockers = blockers_of(core, pending, explanation.job.refusal, now);
  explain_weight(core, explanation, pending, now);
  if (pending.needs != 0) {
    const Needs& needs = core.needs[pending.needs];
    for (const ResourceNeed& need : needs.resources) {
      const Resources::Standing standing = core.resources.standing(need, needs.key);
      explanation.resources.push_back({std::string(standing.manager), standing.needs, standing.free,
                                       standing.total, standing.is_short});
    }
  }
  return explanation;
}

}  // namespace sluice

#include <algorithm>

#include "governor/core.h"
#include "governor/pass.h"
#include "governor/starting.h"

namespace sluice {

Status Core::status(TimePoint now) const {
  Status status;
  status.now = now;
  status.law = options_.window.law;
  status.size = window_.size;
  status.usage = permits_.usage();
  status.minimum = options_.window.minimum;
  status.maximum = options_.window.maximum;
  if (status.law == Law::adaptive) status.threshold = window_.threshold;
  status.running = running_count_;
  status.pending = pending_->size();
  status.starting = starting_count_;
  status.pending_cost = pending_->cost();
  if (!pending_->empty()) {
    status.oldest_arrival = (*pending_)[pending_->by_arrival().front().slot].arrived;
  }
  status.registered = registration_.registered;
  status.paused = operated_ == Switch::paused;
  status.draining = operated_ == Switch::draining;
  status.full = why_full();
  status.blockers = all_full();
  status.queues = queue_status(now);
  status.resources = resource_status();
  const auto waits = std::find_if(status.queues.begin(), status.queues.end(),
                                  [](const QueueStatus& queue) { return queue.limiting; });
  if (waits != status.queues.end()) status.limiting = waits->limiting;
  status.last_change = last_change_;
  status.memory = reservation_.status();
  if (status.memory) status.memory->most = most_charged();
  for (const KnownSensor& sensor : sensors_) status.sensors.push_back(status_of(sensor, now));
  for (SensorStatus& own : own_sensors(now)) status.sensors.push_back(std::move(own));
  status.counters = counters_;
  return status;
}

std::vector<QueueStatus> Core::queue_status(TimePoint now) const {
  std::vector<QueueStatus> all;
  const std::vector<HeldMemory> held = held_by_queue();
  const Verdicts said = pending_->empty() ? Verdicts{} : verdicts(now);
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    const Queue& queue = queues_[number];
    if (!queue.there) continue;
    QueueStatus& status = all.emplace_back();
    status.name = queue.name;
    status.paused = queue.paused;
    status.running = queue.running;
    status.memory = held[number];
    status.pending = pending_->size_of(number);
    status.pending_cost = pending_->cost_of(number);
    const PendingQueue::Parking parked = pending_->parked_of(number);
    status.held = queue.paused ? status.pending : parked.jobs;
    status.held_cost = queue.paused ? status.pending_cost : parked.cost;
    if (status.pending == 0) continue;
    status.oldest_arrival = pending_->oldest_of(number);
    PendingQueue::Walk walk(*pending_, number, now, this, may_start);
    auto first = walk.next();
    if (!first) {
      const auto any = [](const void*, const Strand&) { return true; };
      first = PendingQueue::Walk(*pending_, number, now, nullptr, any).next();
    }
    status.limiting = refusal_of(*first, said);
    status.blockers = blockers_of((*pending_)[*first], status.limiting, now);
  }
  std::sort(all.begin(), all.end(),
            [](const QueueStatus& a, const QueueStatus& b) { return a.name < b.name; });
  return all;
}

std::vector<HeldMemory> Core::held_by_queue() const {
  std::vector<HeldMemory> queues(queues_.size());
  const double believed = reservation_.believed_part(reported());
  for (const RunningJob& job : running_) {
    if (!job.in_use) continue;
    const HeldMemory held = held_by(job, believed);
    HeldMemory& queue = queues[job.job.queue];
    queue.measured.value += held.measured.value;
    queue.reported.value += held.reported.value;
    queue.declared.value += held.declared.value;
    queue.unverified += held.unverified;
  }
  return queues;
}

std::vector<ResourceStatus> Core::resource_status() const {
  std::vector<ResourceStatus> all = resources_.status();
  if (all.empty()) return all;
  std::map<std::string_view, std::size_t> waiting;
  for (const auto& [needs, jobs] : pending_->count_by_needs()) {
    for (const ResourceNeed& need : needs_[needs].resources) {
      waiting[resources_.standing(need, needs_[needs].key).manager] += jobs;
    }
  }
  for (ResourceStatus& status : all) status.waiting = waiting[status.key];
  return all;
}

Core::Verdicts Core::verdicts(TimePoint now) const {
  Verdicts verdicts;
  // Named in views only: it decides nothing, so a pass records the same without it.
  const JobId most = most_charged();
  Pass pass(*this, now, Pass::Look::startable, [&](std::uint32_t slot, Refusal refused) {
    if (refused.code == RefusalCode::memory) refused.ahead = most;
    verdicts.by_slot.try_emplace(slot, std::move(refused));
  });
  // Nothing is known about the jobs after one that could start right now until it has.
  while (const auto slot = pass.next()) pass.end_queue((*pending_)[*slot].queue);
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    verdicts.blockers.push_back(pass.blocker(queue));
  }
  return verdicts;
}

/// Why a pending job does not start; nullopt if the next pass starts it.
std::optional<Refusal> Core::refusal_of(std::uint32_t slot, const Verdicts& verdicts) const {
  const PendingJob& job = (*pending_)[slot];
  if (const auto refused = ineligible(job)) return refused;
  if (const auto looked = verdicts.by_slot.find(slot); looked != verdicts.by_slot.end()) {
    return looked->second;
  }
  if (auto refused = why_closed()) {
    refused->cost = job.cost;
    return refused;
  }
  const auto blocker = verdicts.blockers[job.queue];
  if (!blocker) return std::nullopt;
  Refusal behind = refusal(RefusalCode::behind, "behind", job.cost);
  behind.ahead = *blocker;
  return behind;
}

std::vector<Refusal> Core::all_full() const {
  std::vector<Refusal> all = all_closed(room(), judged_);
  if (permits_.usage() >= window_.size)
    all.push_back(refusal(RefusalCode::window, "window", Points{}));
  return all;
}

std::vector<Refusal> Core::blockers_of(const PendingJob& job, const std::optional<Refusal>& said,
                                       TimePoint now) const {
  std::vector<Refusal> all;
  if (said) all.push_back(*said);
  const auto add = [&](const Refusal& refused) {
    const bool is_named = std::any_of(all.begin(), all.end(), [&](const Refusal& each) {
      return each.code == refused.code && each.binding == refused.binding;
    });
    if (!is_named) all.push_back(refused);
  };
  for (const Refusal& refused : all_ineligible(job)) add(refused);
  for (Refusal closed : all_closed(room(), judged_)) {
    closed.cost = job.cost;
    add(closed);
  }
  Pass pass(*this, now, Pass::Look::startable, {});
  for (const Refusal& refused : pass.all_shortages_of(job)) add(refused);
  return all;
}

std::vector<const Core::RunningJob*> Core::running_in_order() const {
  std::vector<const RunningJob*> running;
  for (const RunningJob& job : running_) {
    if (job.in_use) running.push_back(&job);
  }
  std::sort(running.begin(), running.end(),
            [](const RunningJob* a, const RunningJob* b) { return a->turn < b->turn; });
  return running;
}

std::vector<JobView> Core::jobs(TimePoint now) const {
  std::vector<JobView> views;
  views.reserve(running_count_ + pending_->size());
  for (const RunningJob* job : running_in_order()) views.push_back(view(*job));
  if (pending_->empty()) return views;
  const Verdicts said = verdicts(now);
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    const auto any = [](const void*, const Strand&) { return true; };
    PendingQueue::Walk walk(*pending_, queue, now, nullptr, any);
    std::size_t place = 0;
    while (const auto slot = walk.next()) views.push_back(view(*slot, ++place, said));
  }
  return views;
}

std::optional<JobView> Core::job(JobId id, TimePoint now) const {
  if (const auto slot = pending_->find(id)) {
    return view(*slot, pending_->place(*slot, now), verdicts(now));
  }
  const RunningJob* running = find_running(id);
  return running ? std::optional(view(*running)) : std::nullopt;
}

JobView Core::view(const RunningJob& running) const {
  JobView view;
  view.id = running.job.id;
  view.request = request_of(running.job);
  view.state = JobState::running;
  view.cost = running.job.cost;
  view.starting = running.starting;
  view.arrived = running.job.arrived;
  view.admitted = running.admitted;
  view.items = running.items;
  return view;
}

JobView Core::view(std::uint32_t slot, std::size_t place, const Verdicts& verdicts) const {
  const PendingJob& job = (*pending_)[slot];
  JobView view;
  view.id = job.id;
  view.request = request_of(job);
  view.cost = job.cost;
  view.arrived = job.arrived;
  view.place = place;
  view.refusal = refusal_of(slot, verdicts);
  view.frozen = job.is_frozen;
  view.order = {job.arrival, job.order.whole, job.order.part};
  return view;
}

SensorStatus Core::status_of(const KnownSensor& sensor, TimePoint now) const {
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

std::vector<SensorStatus> Core::own_sensors(TimePoint now) const {
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
  const bool stopped = operated_ != Switch::running;
  Reading pause;
  pause.conditions.push_back(
      {"paused", stopped ? 1.0 : 0.0, 1.0, std::nullopt, Unit::count, stopped ? 1.0 : 0.0});
  pause.sentence = operated_ == Switch::draining ? "draining" : stopped ? "paused" : "running";
  std::vector<SensorStatus> sensors{own("pause", std::move(pause))};
  if (options_.starting != Presence::off) {
    sensors.push_back(
        own("starting", starting_reading(options_, static_cast<std::int64_t>(starting_count_),
                                         static_cast<std::int64_t>(running_count_))));
  }
  return sensors;
}

}  // namespace sluice

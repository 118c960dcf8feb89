#include <algorithm>

#include "governor/core.h"
#include "governor/starting.h"

namespace sluice {

Status Core::status(TimePoint now) const {
  Status status;
  status.now = now;
  status.law = options_.window.law;
  status.size = window_.size;
  status.usage = usage_;
  status.minimum = options_.window.minimum;
  status.maximum = options_.window.maximum;
  if (status.law == Law::adaptive) status.threshold = window_.threshold;
  status.running = running_count_;
  status.pending = pending_.size();
  status.starting = starting_count_;
  status.pending_cost = pending_.cost();
  if (const PendingJob* oldest = pending_.oldest()) status.oldest_arrival = oldest->arrived;
  status.registered = registration_.registered;
  status.paused = operated_ == Switch::paused;
  status.draining = operated_ == Switch::draining;
  status.full = why_full();
  if (const PendingJob* first = pending_.first()) status.limiting = refusal_of(*first);
  status.last_change = last_change_;
  for (const KnownSensor& sensor : sensors_) status.sensors.push_back(status_of(sensor, now));
  for (SensorStatus& own : own_sensors(now)) status.sensors.push_back(std::move(own));
  status.counters = counters_;
  return status;
}

std::vector<JobView> Core::jobs() const {
  std::vector<const RunningJob*> running;
  for (const RunningJob& job : running_) {
    if (job.in_use) running.push_back(&job);
  }
  std::sort(running.begin(), running.end(),
            [](const RunningJob* a, const RunningJob* b) { return a->turn < b->turn; });
  std::vector<JobView> views;
  views.reserve(running_count_ + pending_.size());
  for (const RunningJob* job : running) views.push_back(view(*job));
  std::size_t place = 0;
  pending_.for_each([&](const PendingJob& job) { views.push_back(view(job, ++place)); });
  return views;
}

std::optional<JobView> Core::job(JobId id) const {
  const auto running = std::find_if(running_.begin(), running_.end(),
                                    [&](const auto& job) { return job.in_use && job.id == id; });
  if (running != running_.end()) return view(*running);
  const PendingJob* found = pending_.find(id);
  if (!found) return std::nullopt;
  return view(*found, pending_.place(*found));
}

JobView Core::view(const RunningJob& job) const {
  JobView view;
  view.id = job.id;
  view.request = job.request;
  view.state = JobState::running;
  view.cost = job.cost;
  view.starting = job.starting;
  view.arrived = job.arrived;
  view.admitted = job.admitted;
  return view;
}

JobView Core::view(const PendingJob& job, std::size_t place) const {
  JobView view;
  view.id = job.id;
  view.request = job.request;
  view.cost = job.cost;
  view.arrived = job.arrived;
  view.place = place;
  view.refusal = refusal_of(job);
  return view;
}

SensorStatus Core::status_of(const KnownSensor& sensor, TimePoint now) const {
  SensorStatus status;
  status.name = sensor.name;
  status.policy = sensor.policy;
  const auto judged = counts_as(sensor.name, sensor.policy, sensor.judgement, now);
  status.red = judged && judged->red;
  status.ignored = !judged;
  status.up = sensor.judgement.up;
  status.fresh = is_fresh(sensor.policy, sensor.judgement, now);
  status.reading = sensor.judgement.reading;
  status.taken = sensor.judgement.taken;
  status.failure = sensor.judgement.failure;
  status.failures = sensor.judgement.failures;
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

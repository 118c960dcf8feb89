#include "governor/threads/governor_state.h"

#include <algorithm>
#include <stdexcept>

#include "governor/validation/check_options.h"

namespace sluice {
namespace {

/// Aging boundaries closer together than this are handled in one pass.
constexpr Duration kAgingGrain = std::chrono::milliseconds(250);

/// Time between two samples of the CPUs while there are jobs, under `knee`.
constexpr Duration kUseEvery = std::chrono::milliseconds(250);

}  // namespace

GovernorState::GovernorState(GovernorOptions options, std::vector<Sensor> sensors,
                             CostModel cost_model, GovernorEvents events,
                             std::vector<std::shared_ptr<WorkSource>> work_sources)
    : announcements_(events, std::move(work_sources)) {
  if (events.on_call) input_log_.emplace(std::move(events.on_call));
  check_options(options, sensors, cost_model);
  lock_free_.configure(options, cost_model);
  inputs_ = std::make_shared<const Inputs>(
      Inputs{std::move(sensors), options.memory_meter, options.use_meter});
  core_.emplace(input_log_ ? &*input_log_ : nullptr, options, cost_model, known(inputs_->sensors),
                Clock::now());
  core_->observe(sweep_all(inputs_->sensors), Clock::now());
  core_->observe_memory(read_memory(inputs_->memory));
  core_->observe_use(read_use(inputs_->use));
  publish();
}

void GovernorState::start() {
  announcements_.troubled(status().sensors);
  window_thread_ = std::thread([this] { run_window_thread(); });
  try {
    admission_thread_ = std::thread([this] { run_admission_thread(); });
  } catch (...) {
    stop();
    throw;
  }
}

void GovernorState::stop() {
  {
    const std::lock_guard lock(mutex_);
    core_->operate(Switch::draining);
    stopping_ = true;
    publish();
  }
  window_wake_.notify_all();
  admission_wake_.notify_all();
  if (window_thread_.joinable()) window_thread_.join();
  if (admission_thread_.joinable()) admission_thread_.join();

  std::vector<EndOfWait> ends;
  RegistrationStep registration;
  std::string reason;
  {
    const std::lock_guard lock(mutex_);
    const Refusal refusal = *core_->why_closed();
    reason = to_sentence(refusal);
    registration = core_->check_registration(Clock::now());
    ends = std::move(ended_);
    for (auto& [id, on_admission] : waiting_) {
      Refusal end = refusal;
      end.cost = core_->pending_cost(JobId{id}).value_or(Points{0});
      core_->cancel(JobId{id});
      ends.push_back({std::move(on_admission), JobId{id}, end});
    }
    core_->take_ended();
    waiting_.clear();
    publish();
  }
  announcements_.registration(registration, reason);
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  deliver(std::move(ends));
}

Admission GovernorState::try_admit(const JobRequest& job) {
  // Most calls are refused, and a copy of the refusal would take as long as the decision.
  Admission answer = Refusal{};
  if (lock_free_.try_refuse(job, std::get<Refusal>(answer))) return answer;
  const std::lock_guard lock(mutex_);
  auto result = core_->try_admit(job, coarse_now());
  publish();
  const auto* refusal = std::get_if<Refusal>(&result);
  refusal ? void(answer = *refusal)
          : void(answer = permit_of(std::get<Admitted>(std::move(result))));
  return answer;
}

std::variant<Queued, Refusal> GovernorState::submit(JobRequest job, OnAdmission on_admission) {
  const std::lock_guard lock(mutex_);
  auto result = core_->submit(std::move(job), Clock::now());
  if (const auto* queued = std::get_if<Queued>(&result)) {
    expect_admission(*queued, std::move(on_admission));
  }
  publish();
  return result;
}

std::variant<Permit, Queued, Refusal> GovernorState::admit_or_queue(JobRequest job,
                                                                    OnAdmission on_admission) {
  const std::lock_guard lock(mutex_);
  auto result = core_->admit_or_queue(std::move(job), Clock::now());
  const auto* queued = std::get_if<Queued>(&result);
  if (queued) expect_admission(*queued, std::move(on_admission));
  publish();
  if (queued) return *queued;
  if (const auto* refusal = std::get_if<Refusal>(&result)) return *refusal;
  return permit_of(std::get<Admitted>(std::move(result)));
}

void GovernorState::expect_admission(const Queued& queued, OnAdmission on_admission) {
  if (queued.deduplicated) return;
  waiting_.emplace(queued.id.value, std::move(on_admission));
  wake_admission();
}

Permit GovernorState::permit_of(Admitted&& admitted) {
  return Permit(shared_from_this(), admitted.id, admitted.cost, admitted.slot,
                std::move(admitted.items));
}

bool GovernorState::cancel(JobId id) {
  const std::lock_guard lock(mutex_);
  const auto refusal = core_->cancel(id);
  if (!refusal) return false;
  ended_.push_back({take_callback(id), id, *refusal});
  after_change();
  return true;
}

std::vector<Restored> GovernorState::restore(GovernorSnapshot snapshot,
                                             const OnAdmission& on_admission) {
  std::vector<Restored> restored;
  restored.reserve(snapshot.jobs.size());
  const std::lock_guard lock(mutex_);
  for (RestoreResult& taken : core_->restore(std::move(snapshot), Clock::now())) {
    if (auto* admitted = std::get_if<Admitted>(&taken)) {
      restored.emplace_back(permit_of(std::move(*admitted)));
    } else if (const auto* queued = std::get_if<Queued>(&taken)) {
      waiting_.emplace(queued->id.value, on_admission);
      restored.emplace_back(*queued);
    } else {
      restored.emplace_back(std::get<Refusal>(taken));
    }
  }
  after_change();
  return restored;
}

std::optional<BadRequest> GovernorState::set(JobId id, const JobChange& change) {
  const std::lock_guard lock(mutex_);
  auto bad = core_->set(id, change, Clock::now());
  after_change();
  return bad;
}

bool GovernorState::operate_queue(std::string_view queue, Switch position) {
  const std::lock_guard lock(mutex_);
  const bool known = core_->operate_queue(queue, position);
  after_change();
  return known;
}

void GovernorState::operate(Switch position) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  core_->operate(position);
  after_change();
}

void GovernorState::wait_until_idle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] {
    const bool waits = core_->pending() > 0 && core_->operated() != Switch::draining;
    return core_->running() == 0 && !waits;
  });
}

void GovernorState::reload(GovernorOptions options, std::vector<Sensor> sensors,
                           CostModel cost_model) {
  check_options(options, sensors, cost_model);
  const auto inputs = std::make_shared<const Inputs>(
      Inputs{std::move(sensors), options.memory_meter, options.use_meter});
  const std::vector<TimedMeasurement> sweep = sweep_all(inputs->sensors);
  // Pending jobs may start before the window thread's next sample; the old limits must not apply.
  std::vector<MemoryLimit> limits = read_memory(inputs->memory);
  std::optional<WindowChange> change;
  {
    const std::lock_guard lock(mutex_);
    if (const auto bad = core_->check_reload(options.queueing)) {
      throw std::invalid_argument(bad->field + ": " + bad->message);
    }
    const TimePoint now = Clock::now();
    lock_free_.configure(options, cost_model);
    change = core_->reload(options, cost_model, known(inputs->sensors), now);
    core_->observe(sweep, now);
    core_->observe_memory(std::move(limits));
    collect_ended();
    inputs_ = inputs;
    sensors_replaced_ = true;
    publish();
    wake_admission();
    window_wake_.notify_all();
  }
  if (change) announcements_.window(*change);
  announcements_.troubled(status().sensors);
}

Status GovernorState::status() const {
  const std::lock_guard lock(mutex_);
  Status status = core_->status(Clock::now());
  lock_free_.add_to(status.counters);
  return status;
}

void GovernorState::give_back(std::uint32_t slot, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  core_->finish(slot, outcome, coarse_now());
  collect_ended();
  publish();
  if (core_->pending() > 0) wake_admission();
  if (core_->running() == 0) idle_.notify_all();
}

void GovernorState::report_started(std::uint32_t slot) {
  const std::lock_guard lock(mutex_);
  core_->started(slot);
  after_change();
}

bool GovernorState::samples_use() const {
  const bool has_jobs = core_->running() > 0 || core_->pending() > 0;
  return core_->options().window.law == Law::knee && has_jobs;
}

void GovernorState::run_window_thread() {
  std::unique_lock lock(mutex_);
  TimePoint next_sweep = Clock::now() + core_->options().window.interval;
  while (true) {
    samples_often_ = samples_use();
    const TimePoint next =
        samples_often_ ? std::min(next_sweep, Clock::now() + kUseEvery) : next_sweep;
    window_wake_.wait_until(lock, next, [this] {
      return stopping_ || sensors_replaced_ || (samples_use() && !samples_often_);
    });
    if (stopping_) return;
    const TimePoint now = Clock::now();
    if (std::exchange(sensors_replaced_, false)) {
      next_sweep = now + core_->options().window.interval;
      continue;
    }
    if (now < next) continue;  // The first job has come.
    if (now >= next_sweep) {
      if (!sweep(lock)) continue;
      // After a suspend the machine must not catch up on missed samples.
      next_sweep = std::max(next_sweep, Clock::now()) + core_->options().window.interval;
    }
    adjust(lock);
  }
}

/// Reads all sensors without the lock. False if they were replaced meanwhile.
bool GovernorState::sweep(std::unique_lock<std::mutex>& lock) {
  const auto inputs = inputs_;
  lock.unlock();
  const std::vector<TimedMeasurement> sweep = sweep_all(inputs->sensors);
  std::vector<MemoryLimit> limits = read_memory(inputs->memory);
  lock.lock();
  if (inputs != inputs_) return false;
  core_->observe_memory(std::move(limits));
  const TimePoint now = Clock::now();
  const auto changed = core_->observe(sweep, now);
  if (changed.empty() || !announcements_.wants_sensors()) return true;
  std::vector<SensorStatus> told = core_->status(now).sensors;
  std::erase_if(told, [&](const SensorStatus& sensor) {
    return std::find(changed.begin(), changed.end(), sensor.name) == changed.end();
  });
  sensors_to_report_.insert(sensors_to_report_.end(), told.begin(), told.end());
  return true;
}

/// Samples the CPUs without the lock, and runs the control law.
void GovernorState::adjust(std::unique_lock<std::mutex>& lock) {
  const auto inputs = inputs_;
  lock.unlock();
  UseCounters counters = read_use(inputs->use);
  lock.lock();
  if (stopping_ || inputs != inputs_) return;  // Replaced meanwhile.
  core_->observe_use(std::move(counters));
  if (lock_free_.take_refused_for_window()) core_->record_refused_for_window();
  const auto change = core_->adjust_window(Clock::now());
  core_->start_over_if_due(Clock::now());
  publish();
  if (change || core_->pending() > 0) wake_admission();
  const Law law = core_->options().window.law;
  const std::vector<SensorStatus> told = std::exchange(sensors_to_report_, {});
  lock.unlock();
  if (change) announcements_.window(*change, law);
  announcements_.sensors(told);
  lock.lock();
}

void GovernorState::run_admission_thread() {
  std::unique_lock lock(mutex_);
  std::optional<TimePoint> wake_at;
  const auto due = [this] { return stopping_ || admission_due_; };
  while (true) {
    if (wake_at) {
      admission_wake_.wait_until(lock, *wake_at, due);
    } else {
      admission_wake_.wait(lock, due);
    }
    if (stopping_) return;
    admission_due_ = false;
    const TimePoint now = Clock::now();
    std::vector<EndOfWait> ends = std::exchange(ended_, {});
    for (EndOfWait& end : take_admitted(core_->pass(now))) ends.push_back(std::move(end));
    const auto full = core_->why_full();
    const RegistrationStep registration = core_->check_registration(now);
    wake_at = registration.wake;
    if (core_->pending() > 0 && !core_->why_closed()) {
      // Jobs that arrived close together age together: one pass serves all.
      if (const auto boundary = core_->next_boundary(now)) {
        const TimePoint latest = wake_at.value_or(TimePoint::max());
        wake_at = std::min(latest, std::max(*boundary, now + kAgingGrain));
      }
    }
    publish();
    if (core_->running() == 0) idle_.notify_all();
    lock.unlock();
    announcements_.registration(registration, full ? to_sentence(*full) : "open");
    deliver(std::move(ends));
    lock.lock();
  }
}

void GovernorState::publish() {
  const auto first = core_->pending() > 0 ? core_->front(coarse_now()) : std::nullopt;
  const auto closed = core_->why_closed();
  lock_free_.publish(core_->usage(), core_->size(), core_->points_of_all_cpus(), first, closed);
  if (samples_use() && !samples_often_) window_wake_.notify_one();
  const bool took_work = std::exchange(takes_work_, !closed && !core_->is_full());
  if (takes_work_ != took_work) wake_admission();
}

/// Delivers waits that the core ended by itself like all others.
void GovernorState::collect_ended() {
  if (!core_->has_ended()) return;
  for (const Ended& ended : core_->take_ended()) {
    ended_.push_back({take_callback(ended.job), ended.job, ended.refusal});
    wake_admission();
  }
}

void GovernorState::after_change() {
  collect_ended();
  publish();
  wake_admission();
}

void GovernorState::wake_admission() {
  if (std::exchange(admission_due_, true)) return;
  admission_wake_.notify_one();
}

std::vector<KnownSensor> GovernorState::known(const std::vector<Sensor>& sensors) {
  lock_free_.intern("starting");
  std::vector<KnownSensor> known;
  for (const Sensor& sensor : sensors) {
    known.push_back({lock_free_.intern(sensor.name), sensor.policy, SensorState{}, Duration{0}});
  }
  return known;
}

std::vector<GovernorState::EndOfWait> GovernorState::take_admitted(std::vector<Admitted> admitted) {
  std::vector<EndOfWait> ends;
  for (Admitted& job : admitted) {
    const JobId id = job.id;
    ends.push_back({take_callback(id), id, permit_of(std::move(job))});
  }
  return ends;
}

OnAdmission GovernorState::take_callback(JobId id) {
  auto node = waiting_.extract(id.value);
  return std::move(node.mapped());
}

void GovernorState::deliver(std::vector<EndOfWait> ends) {
  for (EndOfWait& end : ends) end.on_admission(end.id, std::move(end.admission));
}

}  // namespace sluice

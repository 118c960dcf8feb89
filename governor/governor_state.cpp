#include "governor/governor_state.h"

#include <time.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "governor/check_options.h"
#include "governor/law/knee.h"

namespace sluice {
namespace {

/// Aging boundaries closer together than this are handled in one pass.
constexpr Duration kAgingGrain = std::chrono::milliseconds(250);

/// Time between two samples of the CPUs while there are jobs, under `knee`.
constexpr Duration kUseEvery = std::chrono::milliseconds(250);

/// The time at the last kernel tick, milliseconds late but without reading the hardware clock: good
/// enough for waits and durations, and a third of the cost on the hot path.
TimePoint coarse_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

Sweep measure(const Sensor& sensor) {
  const TimePoint began = Clock::now();
  Sweep sweep;
  try {
    sweep.measurement = sensor.measure(began);
  } catch (const std::exception& error) {
    sweep.measurement = {began, ReadFailure{error.what()}};
  } catch (...) {
    sweep.measurement = {began, ReadFailure{"the sensor threw an unknown exception"}};
  }
  sweep.took = Clock::now() - began;
  return sweep;
}

std::vector<MemoryLimit> read_memory(const MemoryMeter& meter) {
  try {
    if (meter) return meter(Clock::now());
  } catch (const std::exception&) {
    // Like a failed read: the last limits stay in force.
  }
  return {};
}

UseCounters read_use(const UseMeter& meter) {
  try {
    if (meter) return meter(Clock::now());
  } catch (const std::exception&) {
    // Like a machine that does not say: the law does without.
  }
  return {};
}

std::vector<Sweep> sweep_all(const std::vector<Sensor>& sensors) {
  std::vector<Sweep> sweep;
  sweep.reserve(sensors.size());
  for (const Sensor& sensor : sensors) sweep.push_back(measure(sensor));
  return sweep;
}

}  // namespace

GovernorState::GovernorState(GovernorOptions options, std::vector<Sensor> sensors,
                             CostModel cost_model, GovernorEvents events,
                             std::vector<std::shared_ptr<WorkSource>> work_sources)
    : events_(std::move(events)), work_sources_(std::move(work_sources)) {
  check_options(options, sensors, cost_model);
  replace_cost_model(cost_model);
  maximum_ = options.window.maximum.value;
  has_keys_ = !options.queueing.keys.empty();
  lets_sleepers_pass_ = options.window.law == Law::knee;
  sensors_ = std::make_shared<const Sensors>(std::move(sensors));
  memory_meter_ = std::make_shared<const MemoryMeter>(options.memory_meter);
  use_meter_ = std::make_shared<const UseMeter>(options.use_meter);
  core_.emplace(std::move(options), std::move(cost_model), known(*sensors_), Clock::now());
  core_->observe(sweep_all(*sensors_), Clock::now());
  core_->observe_memory(read_memory(*memory_meter_));
  core_->observe_use(read_use(*use_meter_));
  publish();
}

void GovernorState::start() {
  tell_troubled();
  window_thread_ = std::thread([this] { run_window_thread(); });
  try {
    admission_thread_ = std::thread([this] { run_admission_thread(); });
  } catch (...) {
    stop();
    throw;
  }
}

/// A sensor that is red or failing from its first reading has not changed, but the operator must
/// hear about it.
void GovernorState::tell_troubled() {
  if (!events_.on_sensor) return;
  for (const SensorStatus& sensor : status().sensors) {
    if (sensor.red || !sensor.up) events_.on_sensor(sensor);
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
  announce(registration, reason);
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  deliver(std::move(ends));
}

Prediction GovernorState::predict_lock_free(const JobRequest& job) {
  struct Visit {
    explicit Visit(std::atomic<int>& visitors) : inside(visitors) { ++inside; }
    ~Visit() { --inside; }
    std::atomic<int>& inside;
  };
  const Visit visit(inside_cost_model_);
  return (*cost_model_.load())(job);
}

std::optional<Refusal> GovernorState::try_refuse_lock_free(const JobRequest& job) {
  // A key's definition may change cost and priority.
  if (has_keys_.load(std::memory_order_relaxed)) return std::nullopt;
  const Points maximum{maximum_.load(std::memory_order_relaxed)};
  const Prediction predicted = job.cost ? Prediction(*job.cost) : predict_lock_free(job);
  const Points cost =
      job.cost ? std::max(*job.cost, Points{1}) : std::clamp(predicted.cost, Points{1}, maximum);
  if (predicted.sleeps && lets_sleepers_pass_.load(std::memory_order_relaxed)) return std::nullopt;
  if (cost > maximum) return std::nullopt;
  const AdmissionSnapshot snapshot = unpack(snapshot_.load(std::memory_order_acquire));
  Refusal refusal{
      RefusalCode::window, "window", cost, snapshot.usage, snapshot.size, JobId{}, 0, 0, 0};
  switch (snapshot.closed_by) {
    case AdmissionSnapshot::ClosedBy::open:
      break;
    case AdmissionSnapshot::ClosedBy::sensor:
      if (snapshot.name == 0) return std::nullopt;
      refusal.code = RefusalCode::sensor;
      refusal.binding = snapshot_names_[snapshot.name];
      return refusal;
    case AdmissionSnapshot::ClosedBy::paused:
      refusal.code = RefusalCode::paused;
      refusal.binding = "pause";
      return refusal;
    case AdmissionSnapshot::ClosedBy::draining:
      refusal.code = RefusalCode::draining;
      refusal.binding = "draining";
      return refusal;
    case AdmissionSnapshot::ClosedBy::queue:
      if (job.priority.value_or(0) > first_priority_.load(std::memory_order_relaxed)) break;
      refusal.code = RefusalCode::behind;
      refusal.binding = "behind";
      refusal.ahead = JobId{first_id_.load(std::memory_order_relaxed)};
      return refusal;
  }
  const bool fits = snapshot.usage == Points{0} || snapshot.usage + cost <= snapshot.size;
  if (fits) return std::nullopt;
  if (!refused_for_window_.load(std::memory_order_relaxed)) refused_for_window_ = true;
  return refusal;
}

Admission GovernorState::try_admit(const JobRequest& job) {
  const bool is_child = job.parent != JobId{};  // The snapshot covers the window only.
  if (auto refusal = is_child ? std::nullopt : try_refuse_lock_free(job)) {
    rejected_lock_free_[static_cast<std::size_t>(refusal->code)].fetch_add(
        1, std::memory_order_relaxed);
    return *refusal;
  }
  const std::lock_guard lock(mutex_);
  auto result = core_->try_admit(job, coarse_now());
  publish();
  if (const auto* refusal = std::get_if<Refusal>(&result)) return *refusal;
  return permit_of(std::get<Admitted>(std::move(result)));
}

std::variant<Queued, Refusal> GovernorState::submit(JobRequest job, OnAdmission on_admission) {
  const std::lock_guard lock(mutex_);
  auto result = core_->submit(std::move(job), Clock::now());
  if (const auto* queued = std::get_if<Queued>(&result); queued && !queued->deduplicated) {
    waiting_.emplace(queued->id.value, std::move(on_admission));
    wake_admission();
  }
  publish();
  return result;
}

std::variant<Permit, Queued, Refusal> GovernorState::admit_or_queue(JobRequest job,
                                                                    OnAdmission on_admission) {
  const std::lock_guard lock(mutex_);
  auto result = core_->admit_or_queue(std::move(job), Clock::now());
  const auto* queued = std::get_if<Queued>(&result);
  if (queued && !queued->deduplicated) {
    waiting_.emplace(queued->id.value, std::move(on_admission));
    wake_admission();
  }
  publish();
  if (queued) return *queued;
  if (const auto* refusal = std::get_if<Refusal>(&result)) return *refusal;
  return permit_of(std::get<Admitted>(std::move(result)));
}

Permit GovernorState::permit_of(Admitted admitted) {
  return Permit(shared_from_this(), admitted.id, admitted.cost, admitted.slot,
                std::move(admitted.items));
}

bool GovernorState::cancel(JobId id) {
  const std::lock_guard lock(mutex_);
  const auto cost = core_->pending_cost(id);
  if (!cost) return false;
  const Refusal refusal{
      RefusalCode::cancelled, "cancelled", *cost, core_->usage(), core_->size(), {}, 0, 0, 0};
  core_->cancel(id);
  ended_.push_back({take_callback(id), id, refusal});
  collect_ended();
  publish();
  wake_admission();
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
  collect_ended();
  publish();
  wake_admission();
  return restored;
}

JobRequest GovernorState::complete(JobRequest job) const {
  const std::lock_guard lock(mutex_);
  return core_->completed(std::move(job));
}

std::optional<BadRequest> GovernorState::check(const JobRequest& job) const {
  const std::lock_guard lock(mutex_);
  return core_->check(job);
}

std::optional<BadRequest> GovernorState::set(JobId id, const JobChange& change) {
  const std::lock_guard lock(mutex_);
  auto bad = core_->set(id, change, Clock::now());
  collect_ended();
  publish();
  wake_admission();
  return bad;
}

std::optional<Explanation> GovernorState::explain(JobId id) const {
  const std::lock_guard lock(mutex_);
  return core_->explain(id, Clock::now());
}

bool GovernorState::operate_queue(std::string_view queue, Switch position) {
  const std::lock_guard lock(mutex_);
  const bool known = core_->operate_queue(queue, position);
  publish();
  wake_admission();
  return known;
}

void GovernorState::operate(Switch position) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  core_->operate(position);
  publish();
  wake_admission();
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
  auto replacement = std::make_shared<const Sensors>(std::move(sensors));
  const std::vector<Sweep> sweep = sweep_all(*replacement);
  auto meter = std::make_shared<const MemoryMeter>(options.memory_meter);
  auto use_meter = std::make_shared<const UseMeter>(options.use_meter);
  // Pending jobs may start before the window thread's next sample; the old limits must not apply.
  std::vector<MemoryLimit> limits = read_memory(*meter);
  std::optional<WindowChange> change;
  {
    const std::lock_guard lock(mutex_);
    if (const auto bad = core_->check_reload(options.queueing)) {
      throw std::invalid_argument(bad->field + ": " + bad->message);
    }
    const TimePoint now = Clock::now();
    has_keys_ = !options.queueing.keys.empty();
    lets_sleepers_pass_ = options.window.law == Law::knee;
    replace_cost_model(cost_model);
    maximum_ = options.window.maximum.value;
    change = core_->reload(std::move(options), std::move(cost_model), known(*replacement), now);
    core_->observe(sweep, now);
    core_->observe_memory(std::move(limits));
    collect_ended();
    sensors_ = std::move(replacement);
    memory_meter_ = std::move(meter);
    use_meter_ = std::move(use_meter);
    sensors_replaced_ = true;
    publish();
    wake_admission();
    window_wake_.notify_all();
  }
  if (change && events_.on_window) events_.on_window(*change);
  tell_troubled();
}

Status GovernorState::status() const {
  const std::lock_guard lock(mutex_);
  Status status = core_->status(Clock::now());
  for (std::size_t code = 0; code < kRefusalCodes; ++code) {
    status.counters.rejected[code] += rejected_lock_free_[code].load(std::memory_order_relaxed);
  }
  return status;
}

std::vector<JobView> GovernorState::jobs() const {
  const std::lock_guard lock(mutex_);
  return core_->jobs(Clock::now());
}

std::optional<JobView> GovernorState::job(JobId id) const {
  const std::lock_guard lock(mutex_);
  return core_->job(id, Clock::now());
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
  publish();
  wake_admission();
}

void GovernorState::report_measured(std::uint32_t slot, const JobUsage& usage) {
  const std::lock_guard lock(mutex_);
  core_->measured(slot, usage, coarse_now());
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
  const std::shared_ptr<const Sensors> sensors = sensors_;
  const std::shared_ptr<const MemoryMeter> meter = memory_meter_;
  lock.unlock();
  const std::vector<Sweep> sweep = sweep_all(*sensors);
  std::vector<MemoryLimit> limits = read_memory(*meter);
  lock.lock();
  if (sensors != sensors_) return false;
  core_->observe_memory(std::move(limits));
  const TimePoint now = Clock::now();
  const auto changed = core_->observe(sweep, now);
  if (changed.empty() || !events_.on_sensor) return true;
  std::vector<SensorStatus> told = core_->status(now).sensors;
  std::erase_if(told, [&](const SensorStatus& sensor) {
    return std::find(changed.begin(), changed.end(), sensor.name) == changed.end();
  });
  told_.insert(told_.end(), told.begin(), told.end());
  return true;
}

/// Under `knee` the size may change four times a second; the other laws act in rounds.
void GovernorState::report(WindowChange change) {
  if (!events_.on_window) return;
  if (by_cpu_) {
    if (!is_worth_reporting(reported_, change)) return;
    if (reported_) change.from = reported_->to;
    reported_ = change;
  }
  events_.on_window(change);
}

/// Samples the CPUs without the lock, and runs the control law.
void GovernorState::adjust(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<const UseMeter> meter = use_meter_;
  lock.unlock();
  UseCounters counters = read_use(*meter);
  lock.lock();
  if (stopping_ || meter != use_meter_) return;  // Replaced meanwhile.
  core_->observe_use(std::move(counters));
  if (refused_for_window_.exchange(false)) core_->note_refused_for_window();
  const auto change = core_->adjust_window(Clock::now());
  publish();
  if (change || core_->pending() > 0) wake_admission();
  by_cpu_ = core_->options().window.law == Law::knee;
  const std::vector<SensorStatus> told = std::exchange(told_, {});
  lock.unlock();
  if (change) report(*change);
  for (const SensorStatus& sensor : told) events_.on_sensor(sensor);
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
      const auto boundary = core_->next_boundary(now);
      if (boundary)
        wake_at =
            std::min(wake_at.value_or(TimePoint::max()), std::max(*boundary, now + kAgingGrain));
    }
    publish();
    if (core_->running() == 0) idle_.notify_all();
    lock.unlock();
    announce(registration, full ? to_sentence(*full) : "open");
    deliver(std::move(ends));
    lock.lock();
  }
}

void GovernorState::publish() {
  AdmissionSnapshot snapshot{core_->usage(), core_->size(), AdmissionSnapshot::ClosedBy::open, 0};
  const auto first = core_->pending() > 0 ? core_->front(coarse_now()) : std::nullopt;
  if (first) {
    first_priority_.store(first->priority, std::memory_order_relaxed);
    first_id_.store(first->id.value, std::memory_order_relaxed);
    snapshot.closed_by = AdmissionSnapshot::ClosedBy::queue;
  }
  if (const auto closed = core_->why_closed()) {
    if (closed->code == RefusalCode::draining)
      snapshot.closed_by = AdmissionSnapshot::ClosedBy::draining;
    if (closed->code == RefusalCode::paused)
      snapshot.closed_by = AdmissionSnapshot::ClosedBy::paused;
    if (closed->code == RefusalCode::sensor) {
      snapshot.closed_by = AdmissionSnapshot::ClosedBy::sensor;
      const auto end = snapshot_names_.begin() + snapshot_names_used_;
      const auto found = std::find(snapshot_names_.begin() + 1, end, closed->binding);
      if (found != end) snapshot.name = static_cast<std::uint16_t>(found - snapshot_names_.begin());
    }
  }
  snapshot_.store(pack(snapshot), std::memory_order_release);
  if (samples_use() && !samples_often_) window_wake_.notify_one();
  const bool takes_work = !core_->why_full();
  if (takes_work != std::exchange(takes_work_, takes_work)) wake_admission();
}

/// Queues waits that the core ended by itself for delivery, like all others.
void GovernorState::collect_ended() {
  if (!core_->has_ended()) return;
  for (const Ended& ended : core_->take_ended()) {
    ended_.push_back({take_callback(ended.job), ended.job, ended.refusal});
    wake_admission();
  }
}

void GovernorState::wake_admission() {
  if (std::exchange(admission_due_, true)) return;
  admission_wake_.notify_one();
}

std::string_view GovernorState::intern(std::string_view name) {
  const auto found = std::find(interned_.begin(), interned_.end(), name);
  if (found != interned_.end()) return *found;
  const std::string_view kept = interned_.emplace_back(name);
  if (snapshot_names_used_ < AdmissionSnapshot::kMostNames)
    snapshot_names_[snapshot_names_used_++] = kept;
  return kept;
}

std::vector<KnownSensor> GovernorState::known(const Sensors& sensors) {
  if (interned_.empty()) intern("starting");
  std::vector<KnownSensor> known;
  for (const Sensor& sensor : sensors) {
    known.push_back({intern(sensor.name), sensor.policy, SensorState{}, Duration{0}});
  }
  return known;
}

void GovernorState::replace_cost_model(CostModel cost_model) {
  cost_model_.store(&cost_models_.emplace_back(std::move(cost_model)));
  // Callers from here on use the new model; a caller still inside keeps the old ones until next
  // time.
  if (inside_cost_model_.load() > 0) return;
  while (cost_models_.size() > 1) cost_models_.pop_front();
}

std::vector<GovernorState::EndOfWait> GovernorState::take_admitted(
    const std::vector<Admitted>& admitted) {
  std::vector<EndOfWait> ends;
  for (const Admitted& job : admitted) {
    ends.push_back({take_callback(job.id), job.id,
                    Permit(shared_from_this(), job.id, job.cost, job.slot, job.items)});
  }
  return ends;
}

OnAdmission GovernorState::take_callback(JobId id) {
  auto node = waiting_.extract(id.value);
  return std::move(node.mapped());
}

void GovernorState::announce(const RegistrationStep& step, const std::string& reason) {
  if (!step.changed) return;
  const bool registered = step.state.registered;
  if (events_.on_accepting) events_.on_accepting(registered, reason);
  const bool was_registered = std::exchange(sources_registered_, registered);
  for (const auto& source : work_sources_) {
    if (registered) source->register_for_work();
    if (!registered && was_registered) source->deregister(reason);
  }
}

void GovernorState::deliver(std::vector<EndOfWait> ends) {
  for (EndOfWait& end : ends) end.on_admission(end.id, std::move(end.admission));
}

}  // namespace sluice

#include "governor/core.h"

#include <algorithm>
#include <utility>

#include "governor/starting.h"

namespace sluice {
namespace {

constexpr std::string_view kPause = "pause";
constexpr std::string_view kStarting = "starting";

template <typename Enum>
std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

/// Whether a sensor that was never read has kept every job out so far, so that the window has
/// learned nothing.
bool is_blind(const std::vector<KnownSensor>& sensors) {
  return std::any_of(sensors.begin(), sensors.end(), [](const KnownSensor& sensor) {
    return sensor.policy.on_error == OnError::red && !sensor.sensor_state.reading;
  });
}

/// Times come from clocks of different resolution, so a span may be slightly negative.
double seconds_between(TimePoint from, TimePoint to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

template <std::size_t N>
void note(Histogram<N>& histogram, const std::array<double, N>& bounds, double seconds) {
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++histogram.counts[static_cast<std::size_t>(bucket - bounds.begin())];
  histogram.sum += seconds;
}

bool starting_gate_is_red(const GovernorOptions& options, std::size_t starting,
                          std::size_t running) {
  return options.starting != Presence::off && starting > 0 &&
         static_cast<std::int64_t>(starting) >=
             starting_limit(options, static_cast<std::int64_t>(running));
}

/// Appends booked items to borrowed ones.
void add_items(std::vector<HeldItems>& held, std::vector<HeldItems> booked) {
  if (held.empty()) {
    held = std::move(booked);
    return;
  }
  for (HeldItems& more : booked) {
    const auto same = std::ranges::find(held, more.manager, &HeldItems::manager);
    if (same == held.end()) {
      held.push_back(std::move(more));
    } else {
      same->items.insert(same->items.end(), more.items.begin(), more.items.end());
    }
  }
}

}  // namespace

Core::Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
           TimePoint now)
    : options_(std::move(options)),
      cost_model_(std::move(cost_model)),
      sensors_(std::move(sensors)),
      window_(open_window(options_.window, now)),
      resources_(options_.queueing.resources) {
  reservation_.configure(options_.reservation);
  reservation_.fix(options_.queueing.declared_memory);
  rebuild(now);
  judge_all(now);
}

void Core::finish(std::uint32_t slot, Outcome outcome, TimePoint now) {
  RunningJob& running = running_[slot];
  PendingJob& job = running.job;
  --running_count_;
  if (running.starting) --starting_count_;
  --queues_[job.queue].running;
  if (!running.needs.empty()) resources_.release(running.needs, job.key, job.id);
  reservation_.remove(std::exchange(running.charge, {}));
  const bool nests = permits_.nested() > 0 || !waiting_children_.empty();
  if (nests) leave_tree(slot);
  permits_.remove(slot);
  locks_finished(job.locks);
  limits_.finish(job.limits);
  discard(job);
  running.in_use = false;
  free_slots_.push_back(slot);
  ++counters_.finished[index(outcome)];
  note(counters_.duration, kDurationBounds, seconds_between(running.admitted, now));
  over(job.id, outcome == Outcome::ok ? End::well : End::badly);
  if (nests) charge_all(now);
}

void Core::started(std::uint32_t slot) {
  RunningJob& job = running_[slot];
  if (job.starting) --starting_count_;
  job.starting = false;
}

void Core::operate(Switch position) {
  // A pause must not reopen a draining governor for submits.
  if (operated_ == Switch::draining && position == Switch::paused) return;
  operated_ = position;
}

std::vector<std::string_view> Core::observe(const std::vector<Sweep>& sweep, TimePoint now) {
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < sensors_.size() && i < sweep.size(); ++i) {
    KnownSensor& sensor = sensors_[i];
    const bool was_red = sensor.sensor_state.red;
    const bool was_up = sensor.sensor_state.up;
    sensor.sensor_state =
        judge(sensor.policy, std::move(sensor.sensor_state), sweep[i].measurement);
    sensor.read_duration = sweep[i].took;
    if (sensor.sensor_state.red != was_red || sensor.sensor_state.up != was_up) {
      changed.push_back(sensor.name);
    }
  }
  judge_all(now);
  return changed;
}

std::optional<WindowChange> Core::adjust_window(TimePoint now) {
  judge_all(now);
  std::vector<JudgedSensor> seen = judged_;
  seen.push_back({kPause, Acts::gate, operated_ != Switch::running, true,
                  operated_ != Switch::running ? 1.0 : 0.0});
  if (options_.starting != Presence::off) {
    const bool red = starting_gate_is_red(options_, starting_count_, running_count_);
    seen.push_back({kStarting, Acts::gate, red, true, red ? 1.0 : 0.0});
  }
  const auto first = front(now);
  const auto refusal = first ? refuse(room(), first->cost) : std::nullopt;
  const bool refused = refused_ || (refusal && refusal->code == RefusalCode::window);
  refused_ = false;
  const bool pends = first.has_value();
  return change_window(
      step_window(options_.window, window_, {permits_.usage(), refused, pends, seen, now}), now);
}

RegistrationStep Core::check_registration(TimePoint now) {
  const auto reason = why_full();
  const RegistrationStep step =
      step_registration(registration_, reason, options_.window.dwell, now);
  registration_ = step.state;
  if (!step.changed) return step;
  if (step.state.registered) {
    ++counters_.registrations;
  } else {
    ++counters_.deregistrations[index(reason->code)];
  }
  return step;
}

std::optional<WindowChange> Core::reload(GovernorOptions options, CostModel cost_model,
                                         std::vector<KnownSensor> sensors, TimePoint now) {
  const WindowState window =
      is_blind(sensors_) ? open_window(options.window, now) : refit_window(options.window, window_);
  for (KnownSensor& sensor : sensors) {
    const auto known = std::find_if(sensors_.begin(), sensors_.end(),
                                    [&](const auto& before) { return before.name == sensor.name; });
    if (known != sensors_.end()) sensor.sensor_state = std::move(known->sensor_state);
  }
  const bool queueing_changed = !(options.queueing == options_.queueing);
  const QueueingOptions before = std::exchange(options_, std::move(options)).queueing;
  cost_model_ = std::move(cost_model);
  sensors_ = std::move(sensors);
  reservation_.configure(options_.reservation);
  reservation_.fix(options_.queueing.declared_memory);
  charge_all(now);
  reprice_all();
  if (queueing_changed) {
    set_queues(before);
    resources_.reconfigure(options_.queueing.resources);
    rebuild(now);
  }
  judge_all(now);
  return change_window({window, WindowCause::reload, {}}, now);
}

Points Core::cost_of(const JobRequest& job) const {
  if (job.cost) return std::max(*job.cost, Points{1});
  return cost_from(cost_model_(job));
}

std::optional<Points> Core::pending_cost(JobId id) const {
  const auto slot = pending_->find(id);
  return slot ? std::optional((*pending_)[*slot].cost) : std::nullopt;
}

void Core::count_rejected(RefusalCode code, std::uint64_t times) {
  counters_.rejected[index(code)] += times;
}

Room Core::room() const {
  if (starting_gate_is_red(options_, starting_count_, running_count_) && red_.empty()) {
    return {permits_.usage(), window_.size, operated_, kStarting};
  }
  return {permits_.usage(), window_.size, operated_, red_};
}

Refusal Core::refusal(RefusalCode code, std::string_view binding, Points cost) const {
  return {code, binding, cost, permits_.usage(), window_.size, JobId{}, 0, 0, 0};
}

Refusal Core::impossible(Points cost) const {
  Refusal refused = refusal(RefusalCode::impossible, "window", cost);
  refused.size = options_.window.maximum;
  return refused;
}

void Core::judge_all(TimePoint now) {
  judged_.clear();
  for (const KnownSensor& sensor : sensors_) {
    const auto judged = effective_state(sensor.name, sensor.policy, sensor.sensor_state, now);
    if (judged) judged_.push_back(*judged);
  }
  red_ = worst_red(judged_);
}

Admitted Core::run(std::uint32_t slot, TimePoint now) {
  RunningJob& running = running_[slot];
  PendingJob& job = running.job;
  claim_needs(running);
  borrow(slot);
  if (!running.needs.empty()) {
    add_items(running.items, resources_.book(running.needs, job.key, job.id));
  }
  return enter(slot, now);
}

void Core::claim_needs(RunningJob& running) {
  if (!running.needs.empty()) running.needs.clear();
  if (!running.items.empty()) running.items.clear();
  if (!running.loans.empty()) running.loans.clear();
  PendingJob& job = running.job;
  if (job.needs == 0) return;
  running.needs = needs_[job.needs].resources;
  needs_.forget(job.needs);
  job.needs = 0;
}

Admitted Core::enter(std::uint32_t slot, TimePoint now) {
  RunningJob& running = running_[slot];
  PendingJob& job = running.job;
  running.admitted = now;
  running.in_use = true;
  running.starting = job.reports_started;
  limits_.start(job.limits);
  running.use.reset();
  running.charge = {};
  const auto parent = place_of_parent(job);
  permits_.add(slot, parent, job.cost);
  if (reservation_.is_in_force()) parent ? charge_all(now) : charge(running, now);
  ++queues_[job.queue].running;
  ++running_count_;
  if (running.starting) ++starting_count_;
  running.turn = ++counters_.admitted;
  note(counters_.wait, kWaitBounds, seconds_between(job.arrived, now));
  Admitted admitted{job.id, job.cost, slot, {}};
  if (!running.items.empty()) admitted.items = running.items;
  return admitted;
}

std::uint32_t Core::free_slot() {
  if (free_slots_.empty()) {
    running_.emplace_back();
    free_slots_.reserve(running_.capacity());
    return static_cast<std::uint32_t>(running_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

std::optional<WindowChange> Core::change_window(const WindowStep& step, TimePoint now) {
  const Points before = std::exchange(window_, step.state).size;
  if (!step.cause || before == window_.size) return std::nullopt;
  auto& counts = window_.size > before ? counters_.window_increases : counters_.window_decreases;
  ++counts[index(*step.cause)];
  last_change_ = WindowChange{now, before, window_.size, *step.cause,
                              *step.cause == WindowCause::red ? std::string(step.sensor) : ""};
  return last_change_;
}

}  // namespace sluice

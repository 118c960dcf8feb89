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

/// Times come from clocks of different grain, so a span may come out slightly negative.
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

}  // namespace

Core::Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
           TimePoint now)
    : options_(std::move(options)),
      cost_model_(std::move(cost_model)),
      sensors_(std::move(sensors)),
      window_(open_window(options_.window, now)) {
  judge_all(now);
}

std::variant<Admitted, Refusal> Core::try_admit(const JobRequest& job, TimePoint now) {
  const Points cost = cost_of(job);
  const auto reject = [&](const Refusal& refusal) {
    ++counters_.rejected[index(refusal.code)];
    return refusal;
  };
  if (cost > options_.window.maximum) return reject(impossible(cost));
  const std::optional<Refusal> refusal = refuse(room(), cost);
  if (refusal && refusal->code != RefusalCode::window) return reject(*refusal);
  if (const PendingJob* first = pending_.first();
      first && first->request.priority >= job.priority.value_or(0)) {
    return reject({RefusalCode::behind, "behind", cost, usage_, window_.size, first->id, 0, 0, 0});
  }
  if (refusal) {
    refused_ = true;
    return reject(*refusal);
  }
  ++counters_.submitted;
  return book(JobId{++last_id_}, job, cost, now, now);
}

std::variant<Queued, Refusal> Core::submit(JobRequest job, TimePoint now, std::optional<JobId>) {
  const Points cost = cost_of(job);
  std::optional<Refusal> refusal;
  if (cost > options_.window.maximum) {
    refusal = impossible(cost);
  } else if (operated_ == Switch::draining) {
    refusal = refuse(room(), cost);
  } else if (pending_.size() >= options_.max_pending) {
    refusal =
        Refusal{RefusalCode::max_pending, "max_pending", cost, usage_, window_.size, {}, 0, 0, 0};
  }
  if (refusal) {
    ++counters_.rejected[index(refusal->code)];
    return *refusal;
  }
  const JobId id{++last_id_};
  ++counters_.submitted;
  pending_.add(PendingJob{id, std::move(job), cost, now});
  return Queued{id, false};
}

bool Core::cancel(JobId id) {
  if (!pending_.remove(id)) return false;
  ++counters_.cancelled;
  return true;
}

void Core::finish(std::uint32_t slot, Outcome outcome, TimePoint now) {
  RunningJob& job = running_[slot];
  usage_ -= job.cost;
  --running_count_;
  if (job.starting) --starting_count_;
  job.in_use = false;
  free_slots_.push_back(slot);
  ++counters_.finished[index(outcome)];
  note(counters_.duration, kDurationBounds, seconds_between(job.admitted, now));
}

void Core::started(std::uint32_t slot) {
  RunningJob& job = running_[slot];
  if (job.starting) --starting_count_;
  job.starting = false;
}

void Core::operate(Switch position) {
  // A pause must not open a draining governor for submits again.
  if (operated_ == Switch::draining && position == Switch::paused) return;
  operated_ = position;
}

std::vector<Admitted> Core::pass(TimePoint now, std::vector<Decision>*) {
  // A reading may have become too old since the last sweep, should the window thread hang.
  judge_all(now);
  std::vector<Admitted> admitted;
  while (const PendingJob* first = pending_.first()) {
    if (const auto refusal = refuse(room(), first->cost)) {
      refused_ = refused_ || refusal->code == RefusalCode::window;
      break;
    }
    const PendingJob job = *pending_.remove(first->id);
    admitted.push_back(book(job.id, job.request, job.cost, job.arrived, now));
  }
  return admitted;
}

JobId Core::expect() { return JobId{++last_id_}; }
void Core::give_up(JobId) {}
std::optional<BadRequest> Core::check(const JobRequest&) const { return std::nullopt; }
std::optional<BadRequest> Core::set(JobId, const JobChange&, TimePoint) { return std::nullopt; }
bool Core::operate_queue(std::string_view, Switch) { return false; }
std::vector<Ended> Core::take_ended() { return {}; }
std::optional<TimePoint> Core::next_boundary(TimePoint) const { return std::nullopt; }
std::optional<BadRequest> Core::check_reload(const QueueingOptions&) const { return std::nullopt; }
std::optional<Explanation> Core::explain(JobId id, TimePoint) const {
  auto view = job(id);
  if (!view) return std::nullopt;
  Explanation explanation;
  explanation.job = *std::move(view);
  return explanation;
}

std::vector<std::string_view> Core::observe(const std::vector<Sweep>& sweep, TimePoint now) {
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < sensors_.size() && i < sweep.size(); ++i) {
    KnownSensor& sensor = sensors_[i];
    const bool was_red = sensor.judgement.red;
    const bool was_up = sensor.judgement.up;
    sensor.judgement = judge(sensor.policy, std::move(sensor.judgement), sweep[i].measurement);
    sensor.read_duration = sweep[i].took;
    if (sensor.judgement.red != was_red || sensor.judgement.up != was_up) {
      changed.push_back(sensor.name);
    }
  }
  judge_all(now);
  return changed;
}

std::optional<WindowChange> Core::look(TimePoint now) {
  judge_all(now);
  std::vector<JudgedSensor> seen = judged_;
  seen.push_back({kPause, Acts::gate, operated_ != Switch::running, true,
                  operated_ != Switch::running ? 1.0 : 0.0});
  if (options_.starting != Presence::off) {
    const bool red = starting_gate_is_red(options_, starting_count_, running_count_);
    seen.push_back({kStarting, Acts::gate, red, true, red ? 1.0 : 0.0});
  }
  const PendingJob* first = pending_.first();
  const auto refusal = first ? refusal_of(*first) : std::nullopt;
  const bool refused = refused_ || (refusal && refusal->code == RefusalCode::window);
  refused_ = false;
  return change_window(
      step_window(options_.window, window_, {usage_, refused, first != nullptr, seen, now}), now);
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
  for (KnownSensor& sensor : sensors) {
    const auto known = std::find_if(sensors_.begin(), sensors_.end(),
                                    [&](const auto& before) { return before.name == sensor.name; });
    if (known != sensors_.end()) sensor.judgement = std::move(known->judgement);
  }
  options_ = std::move(options);
  cost_model_ = std::move(cost_model);
  sensors_ = std::move(sensors);
  judge_all(now);
  return change_window({refit_window(options_.window, window_), WindowCause::reload, {}}, now);
}

std::optional<Refusal> Core::refusal_of(const PendingJob& job) const {
  const auto refusal = refuse(room(), job.cost);
  if (refusal && refusal->code != RefusalCode::window) return refusal;
  const PendingJob* first = pending_.first();
  if (first && first->id != job.id) {
    return Refusal{RefusalCode::behind, "behind", job.cost, usage_, window_.size,
                   first->id,           0,        0,        0};
  }
  return refusal;
}

Points Core::cost_of(const JobRequest& job) const {
  if (job.cost) return std::max(*job.cost, Points{1});
  return std::clamp(cost_model_(job), Points{1}, options_.window.maximum);
}

void Core::count_rejected(RefusalCode code, std::uint64_t times) {
  counters_.rejected[index(code)] += times;
}

Room Core::room() const {
  if (starting_gate_is_red(options_, starting_count_, running_count_) && red_.empty()) {
    return {usage_, window_.size, operated_, kStarting};
  }
  return {usage_, window_.size, operated_, red_};
}

Refusal Core::impossible(Points cost) const {
  return {
      RefusalCode::impossible, "window", cost, usage_, options_.window.maximum, JobId{}, 0, 0, 0};
}

void Core::judge_all(TimePoint now) {
  judged_.clear();
  for (const KnownSensor& sensor : sensors_) {
    const auto judged = counts_as(sensor.name, sensor.policy, sensor.judgement, now);
    if (judged) judged_.push_back(*judged);
  }
  red_ = worst_red(judged_);
}

Admitted Core::book(JobId id, const JobRequest& job, Points cost, TimePoint arrived,
                    TimePoint now) {
  const std::uint32_t slot = free_slot();
  RunningJob& running = running_[slot];
  running.id = id;
  running.request = job;
  running.cost = cost;
  running.arrived = arrived;
  running.admitted = now;
  running.in_use = true;
  running.starting = job.reports_started;
  usage_ += cost;
  ++running_count_;
  if (running.starting) ++starting_count_;
  running.turn = ++counters_.admitted;
  note(counters_.wait, kWaitBounds, seconds_between(arrived, now));
  return {id, cost, slot, {}};
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

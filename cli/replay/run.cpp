#include "cli/replay/run.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "cli/replay/rules.h"
#include "cli/replay/world.h"
#include "costmodel/formula.h"
#include "governor/law/knee.h"

namespace sluice::cli {
namespace {

Reading reading_of(double pressure) {
  Reading reading;
  reading.conditions.push_back({"scripted", pressure, 1.0, std::nullopt, Unit::ratio, pressure});
  return reading;
}

/// A modelled machine on which nothing has run for so long since the last job came lets nothing
/// start any more.
constexpr Duration kHostIdle = std::chrono::hours(1);

/// No instant of a replay is later. Each step adds at most 10,000 days, the longest time of a
/// scenario, so no sum exceeds the 106,751 days of a `Duration`.
constexpr Duration kLongestReplay = std::chrono::hours(24 * 90'000);

}  // namespace

ReplayWorld::ReplayWorld(const Scenario& scenario, const JobSource& jobs,
                         const std::string& jobs_file, const ReplaySink& sink)
    : scenario_(scenario),
      source_(jobs),
      jobs_file_(jobs_file),
      sink_(sink),
      sensor_names_(replay_sensors(scenario)),
      modelled_(modelled_sensors(scenario)),
      pressures_(sensor_names_.size(), 0.0),
      history_(history_of(scenario)),
      core_(options_of(scenario.config), cost_model(scenario.config),
            known_sensors(scenario.config), now_),
      interval_(core_.options().window.interval),
      next_tick_(now_ + interval_),
      reporter_(core_, jobs_, sink_, now_) {
  if (scenario_.host) host_.emplace(scenario_, *scenario_.host, history_);
  if (!scenario_.cpu.empty()) scripted_.emplace(scenario_);
  if (is_measured(scenario_)) cpu_ = CpuStatus{.cpus = scenario_.cpus};
  measure();
  fetch();
}

GovernorOptions ReplayWorld::options_of(const Config& config) const {
  if (!is_measured(scenario_)) return replay_options(config, scenario_.cpus, scenario_.memory);
  // As the daemon does it: memory is what is measured, not only what is declared.
  GovernorOptions options = replay_options(config, scenario_.cpus, std::nullopt);
  options.reservation = config.governing.reservation;
  options.least_cost = *settle(config.governing.cost, config.governing.window.law).minimum;
  return options;
}

CostModel ReplayWorld::cost_model(const Config& config) const {
  const Options& governing = config.governing;
  const bool is_learned = history_ && learns(governing.cost, governing.window.law);
  return is_learned ? history_model(history_)
                    : formula_model(settle(governing.cost, governing.window.law));
}

std::vector<KnownSensor> ReplayWorld::known_sensors(const Config& config) const {
  std::vector<KnownSensor> sensors;
  for (const std::string& name : sensor_names_) {
    KnownSensor sensor;
    sensor.name = name;
    sensor.policy = replay_policy(config.governing.sensors, name);
    sensor.sensor_state.up = true;
    sensor.sensor_state.reading = reading_of(0);
    sensors.push_back(std::move(sensor));
  }
  return sensors;
}

void ReplayWorld::run() {
  if (play() == Stop::whole) refuse_missing();
  tell_late_events();
}

ReplayWorld::Stop ReplayWorld::play() {
  std::optional<TimePoint> next = now_;
  while (next) {
    now_ = *next;
    step();
    next = next_instant();
    if (next && scenario_.until && *next > at(*scenario_.until)) return Stop::until;
    if (next && *next > at(kLongestReplay)) {
      throw ConfigError{scenario_.file, 0, 0, "the replay takes more than 90000d of its own time"};
    }
  }
  return Stop::whole;
}

void ReplayWorld::step() {
  // Idle ticks were skipped.
  if (next_tick_ < now_) {
    next_tick_ += (now_ - next_tick_ + interval_ - Duration{1}) / interval_ * interval_;
  }
  end_jobs();
  if (core_.running() > 0) last_active_ = now_;
  read_sensors();
  run_events();
  submit_jobs();
  tick();
  admit();
  // A job may take no time at all.
  while (ends_now()) {
    end_jobs();
    admit();
  }
  const auto full = core_.why_full();
  if (core_.check_registration(now_).changed) reporter_.registration(full);
  if (const auto cpu = core_.cpu(now_)) cpu_ = cpu;
  reporter_.instant(pressures_, cpu_);
}

std::optional<TimePoint> ReplayWorld::next_instant() {
  std::optional<TimePoint> next;
  const auto consider = [&](TimePoint candidate) {
    if (!next || candidate < *next) next = candidate;
  };
  if (!ends_.empty()) consider(ends_.top().at);
  if (host_is_needed()) consider(host_->next());
  if (point_ < scenario_.sensors.size()) consider(at(scenario_.sensors[point_].at));
  if (event_ < scenario_.events.size()) consider(at(scenario_.events[event_].at));
  if (ahead_) consider(at(ahead_->at));
  if (const auto later = later_.next()) consider(*later);
  boundary_ = core_.pending() > 0 ? core_.next_boundary(now_) : std::nullopt;
  if (boundary_) consider(*boundary_);
  // Ticks alone cannot start a job while nothing runs, so they do not keep a replay going.
  const bool goes_on = next || scenario_.until;
  if (goes_on && !ticks_are_idle()) consider(next_tick_);
  if (goes_on && scripted_ && is_sampled()) {
    consider(at((now_.time_since_epoch() / kReplaySampleEvery + 1) * kReplaySampleEvery));
  }
  return next;
}

/// Whether a tick would change nothing, not even the law's memory: under `rfc`, which has none, an
/// unused window stays the same while all sensors are green, and at the minimum.
bool ReplayWorld::ticks_are_idle() const {
  const WindowParameters& window = core_.options().window;
  if (window.law != Law::rfc || core_.running() > 0 || core_.pending() > 0) return false;
  const auto closed = core_.why_closed();
  const bool red = closed && closed->code == RefusalCode::sensor;
  return !red || core_.size() == window.minimum;
}

bool ReplayWorld::host_is_needed() const {
  if (!host_) return false;
  return core_.running() > 0 || (core_.pending() > 0 && now_ - last_active_ < kHostIdle);
}

void ReplayWorld::finish(JobId id, std::uint32_t slot, Outcome outcome) {
  is_due_ = true;
  core_.finish(slot, outcome, now_);
  reporter_.finished(id, outcome);
  over(id);
  tell_ended();
}

void ReplayWorld::end_jobs() {
  const auto ended = host_ ? host_->advance_to(now_) : std::vector<model::Host::Ended>{};
  for (const model::Host::Ended& each : ended) {
    const auto [id, slot] = std::pair(host_->job(each).id, host_->job(each).slot);
    const bool is_killed = each.outcome == Outcome::oom;
    const Outcome outcome = is_killed ? Outcome::oom : jobs_.facts(id).outcome;
    // Of a job that ran before, the machine has seen only the rest: too little to learn from, but
    // how much memory was too much.
    const bool is_whole = !jobs_.facts(id).ran || is_killed;
    host_->end(each, is_whole ? outcome : Outcome::unknown, core_);
    finish(id, slot, outcome);
  }
  while (ends_now()) {
    const RunningEnd end = ends_.top();
    ends_.pop();
    if (scripted_) core_.measured(end.slot, scripted_->end(end.id, now_), now_);
    finish(end.id, end.slot, jobs_.facts(end.id).outcome);
  }
}

void ReplayWorld::read_sensors() {
  const std::size_t before = point_;
  for (; point_ < scenario_.sensors.size() && at(scenario_.sensors[point_].at) <= now_; ++point_) {
    const SensorPoint& point = scenario_.sensors[point_];
    pressure_of(point.name) = point.pressure;
  }
  if (point_ == before) return;
  is_due_ = true;
  observe_sensors();
}

double& ReplayWorld::pressure_of(const std::string& sensor) {
  const auto place = std::ranges::find(sensor_names_, sensor) - sensor_names_.begin();
  return pressures_[static_cast<std::size_t>(place)];
}

void ReplayWorld::observe_sensors() {
  std::vector<TimedMeasurement> sweep;
  for (const double pressure : pressures_) {
    sweep.push_back({Measurement{now_, reading_of(pressure)}, Duration{0}});
  }
  core_.observe(sweep, now_);
}

void ReplayWorld::measure() {
  if (host_) host_->measure(core_);
  if (scripted_) scripted_->measure(core_, now_);
}

/// Whether the machine is sampled four times a second, as the daemon does.
bool ReplayWorld::is_sampled() const {
  const bool has_jobs = core_.running() + core_.pending() > 0;
  return (host_ || scripted_) && has_jobs && core_.options().window.law == Law::knee;
}

bool ReplayWorld::is_sample_due() const {
  return is_sampled() && now_.time_since_epoch() % kReplaySampleEvery == Duration{0};
}

void ReplayWorld::submit_jobs() {
  if (now_ == TimePoint{}) {
    take_over_running();
    take_over_waiting();
  }
  while (ahead_ && at(ahead_->at) == now_) {
    if (ahead_->waited && !ahead_->ran) {
      throw bad_job(ahead_->line, ahead_->request.id,
                    "waited: a job that already waits comes at 0s, after those that run and before "
                    "all others");
    }
    if (!ahead_->follows.empty()) {
      follow(*std::move(ahead_));
    } else if (auto job = later_.pass_batch(*std::move(ahead_))) {
      run_late_events({submit(*std::move(job))});
    }
    fetch();
  }
  while (auto job = later_.take_due(now_)) run_late_events({submit(*std::move(job))});
}

void ReplayWorld::follow(ScenarioJob job) {
  const auto known = jobs_.find(job.follows);
  if (!known && !later_.has_held(job.follows)) {
    throw bad_job(job.line, job.request.id,
                  "follows: no job " + quote_text(job.follows) + " comes before it");
  }
  const std::string leader = job.follows;
  later_.follow(std::move(job));
  if (known && jobs_.facts(*known).over) later_.over(leader, now_);
}

void ReplayWorld::over(JobId id) {
  jobs_.end(id);
  later_.over(std::string(jobs_.name(id)), now_);
}

void ReplayWorld::tick() {
  const bool is_tick = now_ == next_tick_;
  if (!is_tick && !is_sample_due()) return;
  is_due_ = true;
  measure();
  if (is_tick) next_tick_ += interval_;
  if (is_tick) complete_reload();
  if (is_tick && host_) {
    for (const std::string& name : modelled_) {
      pressure_of(name) = *host_->pressure(scenario_.config.governing.sensors, name);
    }
    observe_sensors();
  }
  tell_window(core_.adjust_window(now_));
}

/// Under `knee` the size may change four times a second: only what is worth a line, as in the log.
void ReplayWorld::tell_window(std::optional<WindowChange> change) {
  if (!change || !is_measured(scenario_) || core_.options().window.law != Law::knee) {
    return reporter_.window(change);
  }
  if (!is_worth_reporting(reported_, *change)) return;
  if (reported_) change->from = reported_->to;
  reported_ = change;
  reporter_.window(change);
}

void ReplayWorld::start(const Admitted& job) {
  later_.started(std::string(jobs_.name(job.id)), now_);
  if (host_) return host_->start(job);
  if (scripted_) scripted_->start(job, now_);
  ends_.push({now_ + jobs_.facts(job.id).runs, ++turn_, job.slot, job.id});
}

void ReplayWorld::admit() {
  if (boundary_ && *boundary_ <= now_) is_due_ = true;
  if (core_.pending() == 0 || (host_ && !is_due_)) return;
  is_due_ = false;
  decisions_.clear();
  const std::vector<Admitted> admitted = core_.pass(now_, &decisions_);
  std::size_t next = 0;
  for (const Decision& decision : decisions_) {
    if (decision.refusal) {
      reporter_.refused(decision);
      continue;
    }
    start(admitted[next++]);
    reporter_.admitted(decision);
  }
  tell_ended();
}

void ReplayWorld::tell_ended() {
  for (const Ended& ended : core_.take_ended()) {
    reporter_.cancelled(jobs_.name(ended.job), ended.refusal);
    over(ended.job);
  }
}

std::optional<ConfigError> run_replay(const Scenario& scenario, const JobSource& jobs,
                                      const std::string& jobs_file, const ReplaySink& sink) {
  try {
    ReplayWorld(scenario, jobs, jobs_file, sink).run();
  } catch (const ConfigError& error) {
    return error;
  }
  return std::nullopt;
}

JobSource jobs_from(std::vector<ScenarioJob> jobs) {
  return
      [jobs = std::move(jobs),
       next = std::size_t{0}]() mutable -> std::variant<std::monostate, ScenarioJob, ConfigError> {
        if (next == jobs.size()) return std::monostate{};
        return std::move(jobs[next++]);
      };
}

}  // namespace sluice::cli

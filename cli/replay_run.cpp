#include "cli/replay_run.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "cli/replay_job_table.h"
#include "cli/replay_rules.h"
#include "cli/replay_teller.h"
#include "costmodel/formula.h"
#include "governor/core.h"

namespace sluice::cli {
namespace {

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string text_of(const BadRequest& bad) { return quoted(bad.field) + ": " + bad.message; }

struct RunningEnd {
  TimePoint at;
  std::uint64_t turn = 0;  ///< Of two that end at once, the one admitted first.
  std::uint32_t slot = 0;
  JobId id;

  bool operator>(const RunningEnd& other) const {
    return at != other.at ? at > other.at : turn > other.turn;
  }
};

class Replay {
 public:
  Replay(const Scenario& scenario, const JobSource& jobs, const std::string& jobs_file,
         const ReplaySink& sink)
      : scenario_(scenario),
        source_(jobs),
        jobs_file_(jobs_file),
        sink_(sink),
        until_(scenario.until),
        sensor_names_(replay_sensors(scenario)),
        pressures_(sensor_names_.size(), 0.0),
        core_(options_of(scenario.config), formula_model(scenario.config.governing.cost),
              known_sensors(scenario.config), now_),
        interval_(core_.options().window.interval),
        next_tick_(now_ + interval_),
        teller_(core_, jobs_, sink_, now_) {
    fetch();
  }

  void run() {
    std::optional<TimePoint> next = now_;
    while (next) {
      now_ = *next;
      step();
      next = next_instant();
      if (next && until_ && *next > at(*until_)) return;
    }
    refuse_missing();
  }

 private:
  static TimePoint at(Duration since_start) { return TimePoint{} + since_start; }

  void step() {
    end_jobs();
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
    judge_registration();
    teller_.instant(pressures_);
  }

  std::optional<TimePoint> next_instant() const {
    std::optional<TimePoint> next;
    const auto consider = [&](TimePoint candidate) {
      if (!next || candidate < *next) next = candidate;
    };
    if (!ends_.empty()) consider(ends_.top().at);
    if (point_ < scenario_.sensors.size()) consider(at(scenario_.sensors[point_].at));
    if (event_ < scenario_.events.size()) consider(at(scenario_.events[event_].at));
    if (ahead_) consider(at(ahead_->at));
    if (const auto boundary = core_.next_boundary(now_)) consider(*boundary);
    // Ticks alone start no job while nothing runs, so they do not keep a replay going.
    if (next || until_) consider(next_tick_);
    return next;
  }

  bool ends_now() const { return !ends_.empty() && ends_.top().at == now_; }

  void end_jobs() {
    while (ends_now()) {
      const RunningEnd end = ends_.top();
      ends_.pop();
      const ReplayJobTable::Facts& job = jobs_.facts(end.id);
      core_.finish(end.slot, job.outcome, now_);
      teller_.finished(end.id, job.outcome);
      tell_ended();
    }
  }

  void read_sensors() {
    const std::size_t before = point_;
    for (; is_due(scenario_.sensors, point_); ++point_) {
      const SensorPoint& point = scenario_.sensors[point_];
      const auto name = std::find(sensor_names_.begin(), sensor_names_.end(), point.name);
      pressures_[static_cast<std::size_t>(name - sensor_names_.begin())] = point.pressure;
    }
    if (point_ == before) return;
    std::vector<Core::Sweep> sweep;
    for (const double pressure : pressures_) {
      sweep.push_back({Measurement{now_, reading_of(pressure)}, Duration{0}});
    }
    core_.observe(sweep, now_);
  }

  void run_events() {
    for (; is_due(scenario_.events, event_); ++event_) {
      run_event(scenario_.events[event_]);
      tell_ended();
    }
  }

  void run_event(const ScenarioEvent& event) {
    switch (event.what) {
      case ScenarioEvent::Do::pause:
        return core_.operate(Switch::paused);
      case ScenarioEvent::Do::resume:
        return core_.operate(Switch::running);
      case ScenarioEvent::Do::drain:
        return core_.operate(Switch::draining);
      case ScenarioEvent::Do::pause_queue:
        return operate_queue(event, Switch::paused);
      case ScenarioEvent::Do::resume_queue:
        return operate_queue(event, Switch::running);
      case ScenarioEvent::Do::cancel:
        return cancel(event);
      case ScenarioEvent::Do::set:
        return set(event);
      case ScenarioEvent::Do::reload:
        return reload(event);
    }
  }

  void operate_queue(const ScenarioEvent& event, Switch position) {
    const std::string& queue = event.queue.value_or("");
    if (core_.operate_queue(queue, position)) return;
    throw broken(event, "`queue`: there is no queue " + quoted(queue));
  }

  void cancel(const ScenarioEvent& event) {
    const auto id = submitted(event, event.job);
    if (!id) return;
    if (!core_.cancel(*id))
      return note(event, "cancel: job " + quoted(event.job) + " does not pend");
    Refusal refusal;
    refusal.code = RefusalCode::cancelled;
    teller_.cancelled(jobs_.name(*id), refusal);
  }

  void set(const ScenarioEvent& event) {
    const auto id = submitted(event, event.job);
    if (!id) return;
    JobChange change{event.priority, event.queue, std::nullopt,     event.frozen,
                     event.nice,     event.locks, event.global_lock};
    if (event.position) {
      change.position = JobChange::Position{event.position->where, JobId{}};
      if (!event.position->of.empty()) {
        const auto other = submitted(event, event.position->of);
        if (!other) return;
        change.position->of = *other;
      }
    }
    const auto bad = core_.set(*id, change, now_);
    if (!bad) return;
    // A job that pends could have been changed by a good request; one that is over, by none.
    const auto view = core_.job(*id, now_);
    if (view && view->state == JobState::pending) throw broken(event, "set: " + text_of(*bad));
    note(event, "set: job " + quoted(event.job) + ": " + text_of(*bad));
  }

  void reload(const ScenarioEvent& event) {
    const Config& config = *event.config;
    GovernorOptions options = options_of(config);
    if (const auto bad = core_.check_reload(options.queueing)) {
      throw broken(event, "reload: " + text_of(*bad));
    }
    if (options.window.interval != interval_) {
      interval_ = options.window.interval;
      next_tick_ = now_ + interval_;
    }
    teller_.window(core_.reload(std::move(options), formula_model(config.governing.cost),
                                known_sensors(config), now_));
  }

  void submit_jobs() {
    while (ahead_ && at(ahead_->at) == now_) {
      submit(std::move(*ahead_));
      fetch();
    }
  }

  void submit(ScenarioJob job) {
    const std::string name = job.request.id;
    const auto known = jobs_.find(name);
    if (known && jobs_.facts(*known).submitted) {
      throw bad_job(job, "there is a job of this id already");
    }
    for (const std::string& other : job.after) job.request.after.push_back(depend(job, other));
    if (const auto bad = core_.check(job.request)) throw bad_job(job, text_of(*bad));
    teller_.submitted(job.request);
    const auto result = core_.submit(std::move(job.request), now_, known);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      turn_away(*refusal, name, job, known);
    } else if (const Queued& queued = std::get<Queued>(result); queued.deduplicated) {
      if (known) core_.give_up(*known);
      jobs_.alias(queued.id, name);
      teller_.deduplicated(name, queued.id);
    } else {
      jobs_.add(queued.id, name, job);
    }
    tell_ended();
  }

  ConfigError bad_job(const ScenarioJob& job, const std::string& what) const {
    return {jobs_file_, job.line, 0, "job " + quoted(job.request.id) + ": " + what};
  }

  JobId depend(const ScenarioJob& job, const std::string& other) {
    if (other == job.request.id) throw bad_job(job, "`after`: a job cannot wait for itself");
    if (const auto known = jobs_.find(other)) return *known;
    const JobId id = core_.expect();
    jobs_.expect(id, other, job.line);
    return id;
  }

  /// The job was not queued, and never will be.
  void turn_away(const Refusal& refusal, const std::string& name, const ScenarioJob& job,
                 std::optional<JobId> known) {
    if (refusal.code == RefusalCode::invalid) throw bad_job(job, to_sentence(refusal));
    // A number of its own lets later jobs name it; waiting for it is waiting for a cancelled one.
    const JobId id = known ? *known : core_.expect();
    core_.give_up(id);
    jobs_.add(id, name, job);
    if (refusal.code == RefusalCode::dependency && core_.job(refusal.ahead, now_)) {
      throw bad_job(job, "`after`: job " + quoted(jobs_.name(refusal.ahead)) +
                             " waits for this one itself, be it through others");
    }
    if (refusal.code == RefusalCode::rule || refusal.code == RefusalCode::dependency) {
      teller_.cancelled(name, refusal);
    } else {
      teller_.turned_away(name, refusal);
    }
  }

  void tick() {
    if (now_ != next_tick_) return;
    next_tick_ += interval_;
    teller_.window(core_.look(now_));
  }

  void admit() {
    if (core_.pending() == 0) return;
    decisions_.clear();
    const std::vector<Admitted> admitted = core_.pass(now_, &decisions_);
    std::size_t next = 0;
    for (const Decision& decision : decisions_) {
      if (decision.refusal) {
        teller_.refused(decision);
      } else {
        start(admitted[next++], decision);
      }
    }
    tell_ended();
  }

  void start(const Admitted& admitted, const Decision& decision) {
    const ReplayJobTable::Facts& job = jobs_.facts(admitted.id);
    ends_.push({now_ + job.runs, ++turn_, admitted.slot, admitted.id});
    teller_.admitted(decision);
  }

  void judge_registration() {
    const auto full = core_.why_full();
    if (core_.check_registration(now_).changed) teller_.registration(full);
  }

  void tell_ended() {
    for (const Ended& ended : core_.take_ended()) {
      teller_.cancelled(jobs_.name(ended.job), ended.refusal);
    }
  }

  // The script.

  ConfigError broken(const ScenarioEvent& event, std::string what) const {
    return {scenario_.file, event.place.line, event.place.column, std::move(what)};
  }

  void note(const ScenarioEvent& event, std::string what) const {
    if (sink_.on_note) sink_.on_note(to_string(broken(event, std::move(what))));
  }

  template <typename T>
  bool is_due(const std::vector<T>& list, std::size_t index) const {
    return index < list.size() && at(list[index].at) <= now_;
  }

  void fetch() {
    auto next = source_();
    if (auto* error = std::get_if<ConfigError>(&next)) throw *error;
    ahead_.reset();
    if (auto* job = std::get_if<ScenarioJob>(&next)) ahead_ = std::move(*job);
  }

  std::optional<JobId> submitted(const ScenarioEvent& event, const std::string& name) const {
    const auto id = jobs_.find(name);
    if (id && jobs_.facts(*id).submitted) return id;
    note(event, "no job " + quoted(name) + " has been submitted yet");
    return std::nullopt;
  }

  void refuse_missing() const {
    const auto missing = jobs_.missing();
    if (!missing) return;
    throw ConfigError{jobs_file_, missing->second, 0,
                      "`after`: nobody submits a job " + quoted(missing->first)};
  }

  // What the core is made of.

  GovernorOptions options_of(const Config& config) const {
    return replay_options(config, scenario_.cpus, scenario_.memory);
  }

  std::vector<KnownSensor> known_sensors(const Config& config) const {
    std::vector<KnownSensor> sensors;
    for (const std::string& name : sensor_names_) {
      KnownSensor sensor;
      sensor.name = name;
      sensor.policy = replay_policy(config.governing.sensors, name);
      sensor.judgement.up = true;
      sensor.judgement.reading = reading_of(0);
      sensors.push_back(std::move(sensor));
    }
    return sensors;
  }

  static Reading reading_of(double pressure) {
    Reading reading;
    reading.conditions.push_back({"scripted", pressure, 1.0, std::nullopt, Unit::ratio, pressure});
    return reading;
  }

  const Scenario& scenario_;
  const JobSource& source_;
  const std::string& jobs_file_;
  const ReplaySink& sink_;
  const std::optional<Duration> until_;
  TimePoint now_{};
  const std::vector<std::string> sensor_names_;
  std::vector<double> pressures_;  ///< By sensor.
  Core core_;
  Duration interval_;
  TimePoint next_tick_;
  std::size_t point_ = 0;  ///< The next one.
  std::size_t event_ = 0;
  std::optional<ScenarioJob> ahead_;
  ReplayJobTable jobs_;
  const ReplayTeller teller_;
  std::priority_queue<RunningEnd, std::vector<RunningEnd>, std::greater<>> ends_;
  std::uint64_t turn_ = 0;
  std::vector<Decision> decisions_;
};

}  // namespace

std::optional<ConfigError> run_replay(const Scenario& scenario, const JobSource& jobs,
                                      const std::string& jobs_file, const ReplaySink& sink) {
  try {
    Replay(scenario, jobs, jobs_file, sink).run();
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

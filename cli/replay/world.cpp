#include "cli/replay/world.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "cli/replay/arrivals.h"
#include "cli/replay/queue_options.h"

namespace sluice::cli {
namespace {

std::string text_of(const BadRequest& bad) { return bad.field + ": " + bad.message; }

}  // namespace

void ReplayWorld::run_events() {
  for (; event_ < scenario_.events.size() && at(scenario_.events[event_].at) <= now_; ++event_) {
    is_due_ = true;
    const ScenarioEvent& event = scenario_.events[event_];
    run_event(event);
    tell_ended();
  }
}

void ReplayWorld::run_late_events(const std::vector<std::string>& jobs) {
  std::vector<std::pair<const ScenarioEvent*, const std::string*>> events;
  for (const std::string& job : jobs) {
    for (const ScenarioEvent* event : late_.extract(job)) events.emplace_back(event, &job);
  }
  // All are elements of one vector: in the order of the scenario.
  std::ranges::sort(events);
  for (const auto& [event, job] : events) {
    event->job == *job ? run_event(*event) : move(*event);
    tell_ended();
  }
}

void ReplayWorld::run_event(const ScenarioEvent& event) {
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

void ReplayWorld::operate_queue(const ScenarioEvent& event, Switch position) {
  const std::string queue = event.queue.value_or("");
  if (core_.operate_queue(queue, position)) return;
  const std::string problem = "queue: there is no queue " + quote_text(queue);
  if (!scenario_.recorded) throw bad_event(event, problem);
  report_problem(event, problem);
}

void ReplayWorld::cancel(const ScenarioEvent& event) {
  const auto id = submitted(event, event.job);
  if (!id) return;
  if (!core_.cancel(*id))
    return report_problem(event, "cancel: job " + quote_text(event.job) + " is not pending");
  Refusal refusal;
  refusal.code = RefusalCode::cancelled;
  reporter_.cancelled(jobs_.name(*id), refusal);
  over(*id);
}

void ReplayWorld::set(const ScenarioEvent& event) {
  const auto id = submitted(event, event.job);
  if (!id) return;
  apply(event, *id,
        {event.priority, event.queue, position_in(event), event.frozen, event.nice, event.locks,
         event.global_lock});
}

/// Of a change that was made when the other job had not come, only the move is left.
void ReplayWorld::move(const ScenarioEvent& event) {
  JobChange moved;
  moved.position = position_in(event);
  if (moved.position) apply(event, *jobs_.find(event.job), moved);
}

/// nullopt: it moves nothing, or not any more, or not yet.
std::optional<JobChange::Position> ReplayWorld::position_in(const ScenarioEvent& event) {
  if (!event.position) return std::nullopt;
  // All are elements of one vector.
  const auto moved = moves_.find(event.job);
  if (moved != moves_.end() && moved->second > &event) return std::nullopt;
  JobChange::Position position{event.position->where, JobId{}};
  if (event.position->of.empty()) return position;
  const auto other = submitted(event, event.position->of);
  if (!other) return std::nullopt;
  position.of = *other;
  return position;
}

void ReplayWorld::apply(const ScenarioEvent& event, JobId id, const JobChange& change) {
  const auto bad = core_.set(id, change, now_);
  if (!bad && change.position) moves_[event.job] = &event;
  if (!bad) return;
  // None can change a job that is over. A pending one is not moved beside another that has started,
  // and not to a queue that can never run it. All else is wrong in itself.
  const auto view = core_.job(id, now_);
  const bool is_pending = view && view->state == JobState::pending;
  const bool is_beside_itself = change.position && change.position->of == id;
  const bool has_queue = event.queue && core_.options().queueing.queues.contains(*event.queue);
  const bool depends =
      (bad->field == "position" && !is_beside_itself) || (bad->field == "queue" && has_queue);
  if (is_pending && !depends) throw bad_event(event, "set: " + text_of(*bad));
  report_problem(event, "set: job " + quote_text(event.job) + ": " + text_of(*bad));
}

void ReplayWorld::reload(const ScenarioEvent& event) {
  const Config& config = *event.config;
  GovernorOptions options = options_of(config);
  incomplete_ = nullptr;
  const auto bad = core_.check_reload(options.queueing);
  if (bad && !scenario_.recorded) throw bad_event(event, "reload: " + text_of(*bad));
  // Jobs that follow others may be later than in the record, too.
  const bool may_lack = bad || !later_.is_empty();
  if (scenario_.recorded && may_lack && keep_old(core_.options().queueing, options.queueing)) {
    incomplete_ = event.config;
  }
  reload_with(config, std::move(options));
  if (incomplete_) resume_old_queues();
}

/// A queue that the configuration no longer has cannot be resumed, so its jobs would wait forever.
void ReplayWorld::resume_old_queues() {
  const auto& wanted = incomplete_->governing.queueing.queues;
  for (const auto& [queue, options] : core_.options().queueing.queues) {
    if (!wanted.contains(queue)) core_.operate_queue(queue, Switch::running);
  }
}

void ReplayWorld::complete_reload() {
  if (!incomplete_ || !later_.is_empty()) return;
  GovernorOptions options = options_of(*incomplete_);
  if (core_.check_reload(options.queueing)) return;
  reload_with(*std::exchange(incomplete_, nullptr), std::move(options));
}

void ReplayWorld::reload_with(const Config& config, GovernorOptions options) {
  if (options.window.interval != interval_) {
    interval_ = options.window.interval;
    next_tick_ = now_ + interval_;
  }
  if (history_) {
    const ReservationOptions& reservation = config.governing.reservation;
    history_->configure(settle(config.governing.cost, config.governing.window.law), reservation);
    host_->configure(reservation);
  }
  tell_window(core_.reload(std::move(options), cost_model(config), known_sensors(config), now_));
}

/// Jobs that already run are there before all others, as after a restart of the daemon: whatever
/// room the window leaves.
void ReplayWorld::take_over_running() {
  GovernorSnapshot snapshot;
  ItemsInUse items(core_.options().queueing);
  for (; ahead_ && ahead_->ran && ahead_->at == Duration{0}; fetch()) {
    const JobId id{snapshot.jobs.size() + 1};
    snapshot.jobs.push_back(running_job(id, *std::move(ahead_), items));
  }
  if (snapshot.jobs.empty()) return;
  const std::vector<RestoreResult> taken = core_.restore(std::move(snapshot), now_);
  Points usage;
  for (const RestoreResult& each : taken) {
    const auto& job = std::get<Admitted>(each);
    start(job);
    reporter_.took_over(job, usage += job.cost);
  }
  for (const RestoreResult& each : taken) {
    run_late_events({std::string(jobs_.name(std::get<Admitted>(each).id))});
  }
}

/// They come in the order of their arrivals, by which they age, and then take their places. Only
/// then events of the same instant may move them.
void ReplayWorld::take_over_waiting() {
  std::vector<ScenarioJob> line;
  for (; ahead_ && ahead_->waited && !ahead_->ran && ahead_->at == Duration{0}; fetch()) {
    if (!ahead_->follows.empty()) {
      throw bad_job(ahead_->line, ahead_->request.id,
                    "waited: a job that already waits does not follow another");
    }
    line.push_back(*std::move(ahead_));
  }
  std::vector<std::string> names;
  for (const std::size_t place : by_arrival(line)) {
    later_.join_batch(line[place]);
    names.push_back(submit(line[place]));
  }
  put_in_line(std::move(line));
  run_late_events(names);
}

void ReplayWorld::put_in_line(std::vector<ScenarioJob> line) {
  // Some were refused, or do not wait on their own.
  std::erase_if(line, [&](const ScenarioJob& job) {
    const JobId id = *jobs_.find(job.request.id);
    return jobs_.facts(id).over || jobs_.name(id) != job.request.id;
  });
  std::vector<std::string> queues;
  for (const ScenarioJob& job : line) queues.push_back(core_.completed(job.request).queue);
  for (const MovedJob& each : moves_into_line(line, queues)) {
    using Where = JobChange::Position::Where;
    JobChange moved;
    moved.position = {Where::front, JobId{}};
    if (each.after != each.job) {
      moved.position = {Where::after, *jobs_.find(line[each.after].request.id)};
    }
    const ScenarioJob& job = line[each.job];
    const auto bad = core_.set(*jobs_.find(job.request.id), moved, now_);
    if (!bad || !sink_.on_note) continue;
    const std::string problem = "waited: it does not stand in its place: " + text_of(*bad);
    sink_.on_note(to_string(bad_job(job.line, job.request.id, problem)));
  }
}

JobSnapshot ReplayWorld::running_job(JobId id, ScenarioJob job, ItemsInUse& items) {
  const std::string name = job.request.id;
  if (jobs_.find(name)) throw bad_job(job.line, name, "another job already has this id");
  if (!job.follows.empty() || !job.after.empty()) {
    throw bad_job(job.line, name,
                  "ran: a job that already runs neither follows nor comes after another");
  }
  if (job.waited) throw bad_job(job.line, name, "waited: a job that already runs does not wait");
  JobRequest kind = ready(job);
  enter(id, name, job, std::move(kind));
  later_.join_batch(job);
  JobSnapshot running;
  running.id = id;
  running.request = core_.completed(std::move(job.request));
  running.cost = job.holds.value_or(core_.cost_of(running.request));
  running.arrived = now_ - *job.ran;
  running.admitted = running.arrived;
  running.items = items.items_for(running.request);
  return running;
}

std::string ReplayWorld::submit(ScenarioJob job) {
  is_due_ = true;
  std::string name = job.request.id;
  const auto known = jobs_.find(name);
  if (known && jobs_.facts(*known).submitted) {
    throw bad_job(job.line, name, "another job already has this id");
  }
  if (job.ran || job.holds) {
    throw bad_job(job.line, name,
                  job.ran ? "ran: a job that already runs comes at 0s, before all others"
                          : "holds: needs `ran`");
  }
  for (const std::string& other : job.after) job.request.after.push_back(depend(job, other));
  JobRequest kind = ready(job);
  reporter_.submitted(job.request);
  const TimePoint arrived = now_ - job.waited.value_or(Duration{0});
  const auto result = core_.submit(std::move(job.request), arrived, known);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    turn_away(*refusal, name, job, known);
  } else if (const Queued& queued = std::get<Queued>(result); queued.deduplicated) {
    if (known) core_.give_up(*known);
    jobs_.alias(queued.id, name);
    later_.leave_batch(name, now_);
    reporter_.deduplicated(name, queued.id);
  } else {
    enter(queued.id, name, job, std::move(kind));
  }
  tell_ended();
  return name;
}

/// Checks and completes what the core gets; what the host's history is told of the job.
JobRequest ReplayWorld::ready(ScenarioJob& job) const {
  // The default queue may be one that is only left for older jobs.
  if (incomplete_) job.request.queue = queue_of(incomplete_->governing.queueing, job.request);
  if (const auto bad = core_.check(job.request)) {
    throw bad_job(job.line, job.request.id, text_of(*bad));
  }
  check_use(job);
  job.request.measured = is_measured(scenario_);
  if (scripted_) job.runs = time_of(job);
  return host_ ? host_->prepare(job.request) : JobRequest{};
}

/// Of the request, only numbers are read: the core may have taken its texts.
void ReplayWorld::enter(JobId id, const std::string& name, const ScenarioJob& job,
                        JobRequest kind) {
  jobs_.add(id, name, job);
  if (host_) host_->submitted(id, job, std::move(kind));
  last_active_ = now_;
  if (scripted_) scripted_->submitted(id, job);
}

/// Refuses what the scenario's machine would ignore.
void ReplayWorld::check_use(const ScenarioJob& job) const {
  const std::string& name = job.request.id;
  if (!is_measured(scenario_) && (!job.phases.empty() || job.cores)) {
    throw bad_job(
        job.line, name,
        std::string(job.cores ? "cores" : "phases") + " needs `cpu` or `machine: {model: host}`");
  }
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const std::string path = "phases[" + std::to_string(i) + "]: ";
    if (!host_ && job.phases[i].disk > Bytes{0}) {
      throw bad_job(job.line, name, path + "disk: needs `machine: {model: host}`");
    }
    if (host_ && job.phases[i].waiting > 0) {
      throw bad_job(job.line, name,
                    path + "waiting: `machine: {model: host}` finds that out by itself");
    }
  }
}

ConfigError ReplayWorld::bad_job(int line, const std::string& name, const std::string& what) const {
  return {jobs_file_, line, 0, "job " + quote_text(name) + ": " + what};
}

JobId ReplayWorld::depend(const ScenarioJob& job, const std::string& other) {
  if (other == job.request.id)
    throw bad_job(job.line, other, "after: a job cannot wait for itself");
  if (const auto known = jobs_.find(other)) return *known;
  const JobId id = core_.expect();
  jobs_.expect(id, other, job.line);
  return id;
}

/// The job was not queued and never will be.
void ReplayWorld::turn_away(const Refusal& refusal, const std::string& name, const ScenarioJob& job,
                            std::optional<JobId> known) {
  if (refusal.code == RefusalCode::invalid) throw bad_job(job.line, name, to_sentence(refusal));
  if (refusal.code == RefusalCode::dependency && core_.job(refusal.ahead, now_)) {
    throw bad_job(job.line, name,
                  "after: job " + quote_text(jobs_.name(refusal.ahead)) +
                      " itself waits for this one, directly or through others");
  }
  // Its own number lets later jobs name it; waiting for it means waiting for a cancelled job.
  const JobId id = known ? *known : core_.expect();
  core_.give_up(id);
  jobs_.add(id, name, job);
  if (refusal.code == RefusalCode::rule || refusal.code == RefusalCode::dependency) {
    reporter_.cancelled(name, refusal);
  } else {
    reporter_.turned_away(name, refusal);
  }
  over(id);
}

void ReplayWorld::fetch() {
  auto next = source_();
  if (auto* error = std::get_if<ConfigError>(&next)) throw *error;
  ahead_.reset();
  if (auto* job = std::get_if<ScenarioJob>(&next)) ahead_ = std::move(*job);
}

/// nullopt if the job has not come yet: the event waits for it.
std::optional<JobId> ReplayWorld::submitted(const ScenarioEvent& event, const std::string& name) {
  const auto id = jobs_.find(name);
  if (id && jobs_.facts(*id).submitted) return id;
  late_.add(name, event);
  return std::nullopt;
}

/// Events whose jobs did not come.
void ReplayWorld::tell_late_events() const {
  for (const auto& [event, name] : late_.left()) {
    report_problem(*event, "no job " + quote_text(name) + " has been submitted");
  }
}

void ReplayWorld::refuse_missing() const {
  const auto missing = jobs_.missing();
  if (!missing) return;
  throw ConfigError{jobs_file_, missing->second, 0,
                    "after: no line submits a job " + quote_text(missing->first)};
}

ConfigError ReplayWorld::bad_event(const ScenarioEvent& event, std::string what) const {
  return {scenario_.file, event.place.line, event.place.column, std::move(what)};
}

void ReplayWorld::report_problem(const ScenarioEvent& event, std::string what) const {
  if (sink_.on_note) sink_.on_note(to_string(bad_event(event, std::move(what))));
}

}  // namespace sluice::cli

#include "service/daemon/daemon.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/host_identity.h"
#include "base/process_table.h"
#include "base/target.h"
#include "base/values.h"
#include "service/access/permission.h"
#include "service/daemon/event_loop.h"
#include "service/daemon/host_check.h"
#include "service/daemon/impl.h"
#include "service/daemon/log.h"
#include "service/daemon/parts.h"
#include "service/doctor/doctor.h"
#include "service/http/tcp_listen.h"
#include "service/protocol/api_error.h"
#include "sluice/version.h"

namespace sluice {
namespace {
namespace asio = boost::asio;
using boost::system::error_code;

/// Between two readings of jobs whose holders say nothing: as often as the machine is sampled.
constexpr Duration kLeaseSamples = std::chrono::milliseconds(250);

/// Delay before retrying what failed.
constexpr Duration kAfterFailure = std::chrono::seconds(1);

/// Checks before anything is touched; warns of what affects only some jobs.
ServeOptions checked(ServeOptions options, const Log& log) {
  const EnforceVerdict verdict = enforce_verdict(options.config);
  if (!verdict.refusal.empty()) throw CannotServe(verdict.refusal);
  if (!verdict.warning.empty()) log(LogLevel::warning, verdict.warning);
  return options;
}

}  // namespace

Daemon::Impl::Impl(ServeOptions options, Log log)
    : options_(std::move(options)),
      shares_(share_descriptors(descriptor_limit(), options_.limits)),
      log_(std::move(log)),
      claim_(claim_socket(server_place(options_.socket, options_.config.service.socket),
                          options_.config.service)),
      listen_(options_.listen.value_or(options_.config.service.listen)),
      tcp_(open_tcp(listen_)),
      sources_(make_sources(context_, options_.config, log_)),
      processes_(context_, shares_.processes,
                 [this](JobId job) {
                   faults_.contain(FaultPlace::process, "that has ended",
                                   [&] { routes_.jobs().process_ended(job); });
                 }),
      trees_(memory_of_this_host()),
      executor_(options_.config.service.executor, log_),
      governing_(options_.config.governing),
      has_settings_(options_.config.has_settings),
      record_(options_.config.service.record, state_folder_of(governing_), log_),
      governor_(start_governor(options_.config, events(), log_, *sources_, history_,
                               executor_.group(), options_.when_red)),
      jobserver_(
          *governor_, history_or_new(history_),
          [log = log_](const std::string& line) { log(LogLevel::warning, line); },
          watched_memory(options_.config.governing.reservation.brake)),
      jobserver_watch_(context_, jobserver_, faults_),
      routes_(*governor_, callbacks()),
      server_(context_, handlers(), shares_.http),
      statsd_(context_, [this] { return governor_->status(); }) {
  if (const auto little = shortage(descriptor_limit(), shares_, options_.limits)) {
    log_(LogLevel::warning, *little);
  }
  auto access = access_by(options_.config.service);
  if (const auto* wrong = std::get_if<AccessProblem>(&access)) throw CannotServe(wrong->message);
  routes_.set_access(std::get<Access>(std::move(access)));
  begin_shadow();
  routes_.jobs().usages().learn_with(history_);
  const ReservationOptions& reservation = options_.config.governing.reservation;
  routes_.jobs().usages().configure_memory(reservation, watched_memory(reservation.brake));
  take_back_jobs();
  record_.configure(options_.config);
  record_.start(routes_.jobs().all());
  record_.sample(governor_->status());
  facts.pid = getpid();
  facts.started = Clock::now();
  facts.config_file = options_.config_file;
  facts.socket = claim_.path();
  facts.build = options_.config.build;
  facts.last_reload_unix = unix_now();
  server_.listen_unix(claim_.take_descriptor());
  facts.host_names = {host_name(this_host_name()), host_name(listen_)};
  if (tcp_) {
    facts.listen = http::bound_address(*tcp_);
    warn_of_network();
    server_.listen_tcp(*tcp_);
  }
  for (const Finding& each : memory_findings()) {
    log_(LogLevel::warning, each.check + ": " + each.found + "; " + each.advice);
  }
  statsd_.configure(options_.config.statsd);
  drain_on_stop_ = options_.config.service.drain_on_stop;
  resources_ = options_.config.governing.queueing.resources;
  sources_->configure(history_, reservation, watched_memory(reservation.brake));
  sources_->start(*governor_, std::bind_front(&Impl::is_jqm_compatible, this),
                  record_.on_fetched_job());
}

/// Logs events, and records cuts of the window with their reasons.
GovernorEvents Daemon::Impl::events() {
  GovernorEvents events = log_events(log_);
  events.on_accepting = [this](bool accepting, const std::string& reason) {
    asio::post(context_, [this, accepting, reason] {
      log_registration(registration_log_.change(accepting, reason, Clock::now()));
    });
  };
  events.on_window = [this, log = std::move(events.on_window)](const WindowChange& change) {
    log(change);
    asio::post(context_, [this, change] {
      timeline_.record_change(change);
      record_.window(change);
    });
  };
  events.on_sensor = [this, log = std::move(events.on_sensor)](const SensorStatus& sensor) {
    log(sensor);
    asio::post(context_, [this, sensor] { record_.sensor(sensor); });
  };
  events.on_call = record_.on_call();
  return events;
}

void Daemon::Impl::log_registration(const std::optional<std::string>& line) const {
  if (line) log_(LogLevel::info, *line);
}

Routes::Callbacks Daemon::Impl::callbacks() {
  Routes::Callbacks callbacks;
  callbacks.jobs.hand_over = [this](JobId job, Admission admission) {
    asio::post(context_, [this, job, admission = std::move(admission)]() mutable {
      faults_.contain(FaultPlace::admission, "",
                      [&] { routes_.jobs().admitted(job, std::move(admission), Clock::now()); });
    });
  };
  callbacks.jobs.watch = [this](JobId job, pid_t process) {
    auto problem = processes_.watch(job, process);
    if (!problem) begin_reading(job, process);
    return problem;
  };
  callbacks.jobs.unwatchable = [this](pid_t process) { return processes_.problem_of(process); };
  callbacks.jobs.unwatch = [this](JobId job) {
    processes_.unwatch(job);
    trees_.forget_job(job);
  };
  callbacks.jobs.measure_below = [this](JobId job, pid_t process) { begin_reading(job, process); };
  callbacks.jobs.holders.begin = [this](JobId job, pid_t process) {
    oom_groups_.begin(job, process, Clock::now());
  };
  callbacks.jobs.holders.over = [this](JobId job) { oom_groups_.forget_job(job); };
  callbacks.jobs.holders.lost = [this](JobId job, pid_t process) {
    LostHolder lost{Clock::now(), {}, {}};
    lost.kill = oom_groups_.kill_of(job, lost.now);
    if (lost.kill) lost.signal = read_signal_of_death(process);
    return lost;
  };
  callbacks.jobs.held = [this](JobId job, TimePoint now) { return trees_.held(job, now); };
  // Under the other laws neither a job's cost nor what is learned depends on it.
  callbacks.jobs.cpu = [this](JobId job, TimePoint now) {
    const bool counts = governing_.window.law == Law::knee;
    return counts ? trees_.cpu(job, now) : std::nullopt;
  };
  callbacks.jobs.cpu_begins = [this](JobId job, TimePoint now) { trees_.admitted(job, now); };
  callbacks.jobs.oom_kills = read_host_oom_kills;
  callbacks.jobs.most_used = most_used_here();
  callbacks.jobs.process_started = [](pid_t process) -> std::uint64_t {
    const auto found = read_process(process);
    return found && found->is_alive() ? found->started : 0;
  };
  callbacks.users_of = users_of;
  callbacks.jobs.ancestors_of = ancestors_of;
  callbacks.jobs.witnesses = witnesses_of_this_host();
  callbacks.reply = std::bind_front(&http::Server::reply, &server_);
  callbacks.reload = [this] { return reload(); };
  callbacks.daemon_facts = [this] {
    static_cast<PartFacts&>(facts) = parts();
    return facts;
  };
  callbacks.jobs.most_job_bytes = room_for_jobs();
  callbacks.jobs.faults = &faults_;
  callbacks.reserve = &reserve_;
  callbacks.timeline = &timeline_;
  if (const auto folder = state_folder_of(governing_); record_.facts())
    callbacks.record =
        &record_reader_.emplace(context_, options_.program, *folder, RecordReader::Limits{},
                                [this] { return record_.foreign(); });
  callbacks.push = std::bind_front(&http::Server::push, &server_);
  callbacks.fetched_job = std::bind_front(&gearman::WorkSources::find, sources_.get());
  callbacks.attach = std::bind_front(&Impl::attach, this);
  callbacks.jobserver = &jobserver_;
  callbacks.most_jobservers = shares_.jobservers;
  callbacks.jobserver_folder =
      std::filesystem::absolute(claim_.path()).lexically_normal().parent_path().string();
  jobserver::sweep_token_fifos(callbacks.jobserver_folder);
  callbacks.metrics = std::bind_front(&Impl::metrics, this);
  callbacks.jobs.braked = [this](const JobRecord& job, const BrakeAction& action) {
    if (action.what == BrakeAction::What::suspended) ++suspensions_;
    log_(LogLevel::warning, job.request.key + ": " + action.sentence());
  };
  callbacks.operated = [this](std::string_view what) { log_(LogLevel::info, what); };
  callbacks.is_jqm_compatible = [this](std::string_view name) { return is_jqm_compatible(name); };
  record_.add_to_callbacks(
      callbacks,
      [this](const JobRecord& job) { return routes_.jobs().usages().memory_kept_for(job); },
      [this](JobId job) { return governor_->job(job); });
  callbacks.jobs.over = [this, others = std::move(callbacks.jobs.over)](const JobRecord& job) {
    kept_memory_.over(job, routes_.jobs().usages().memory_kept_for(job), Clock::now());
    if (others) others(job);
  };
  return callbacks;
}

http::Handlers Daemon::Impl::handlers() {
  http::Handlers handlers;
  handlers.handle = [this](const http::Request& request) {
    auto response = routes_.handle(request, this_instant());
    arm_deadline();
    return response;
  };
  handlers.closed = [this](http::ConnectionId connection) {
    routes_.connection_closed(connection);
  };
  handlers.keeps = [this](http::ConnectionId connection) { return routes_.keeps(connection); };
  handlers.failed = [this](auto what) { faults_.record_fault(FaultPlace::connection, "", what); };
  handlers.error = answer_error;
  handlers.is_trusted = [](const http::Peer& peer) { return is_trusted(peer.user, geteuid()); };
  handlers.crowded = [this](std::string_view line) { log_(LogLevel::warning, line); };
  return handlers;
}

void Daemon::Impl::run() {
  wait_for_signal();
  tick();
  arm_deadline();
  if (const auto period = watchdog_period()) feed_watchdog(*period);
  const Status status = governor_->status();
  const std::string where =
      facts.socket + (facts.listen.empty() ? "" : " and http://" + facts.listen);
  log_(LogLevel::info, "sluice " + std::string(kVersion) + " serves on " + where);
  log_(LogLevel::info, "window " + std::to_string(status.size.value) + " points (" +
                           std::string(to_string(status.law)) + "), " +
                           std::to_string(status.sensors.size()) + " sensors, configuration " +
                           (facts.config_file.empty() ? "defaults" : facts.config_file));
  manager_.ready("serving on " + where);
  run_contained();
}

/// Timers that rearm themselves contain their own exceptions; this contains all others.
void Daemon::Impl::run_contained() {
  while (!faults_.contain(FaultPlace::event, "", [this] { run_alert(context_); })) continue;
}

void Daemon::Impl::wait_for_signal() {
  signals_.async_wait([this](error_code error, int signal) {
    if (error) return;
    faults_.contain(FaultPlace::signal, "", [&] { heed(signal); });
    if (!stopping_) wait_for_signal();
  });
}

void Daemon::Impl::heed(int signal) {
  if (signal == SIGHUP) reload();
  if (signal == SIGTERM) terminate();
  if (signal == SIGINT) stop_now("SIGINT");
}

void Daemon::Impl::tick() {
  tick_timer_.expires_after(std::chrono::seconds(1));
  tick_timer_.async_wait([this](error_code error) {
    if (error) return;
    faults_.contain(FaultPlace::timer, "connections", [this] { server_.tick(Clock::now()); });
    if (stopping_) return;
    poll_all();
    if (!stopping_) tick();
  });
}

void Daemon::Impl::begin_reading(JobId job, pid_t process) {
  trees_.begin(job, process, Clock::now());
  if (!std::exchange(reads_leases_, true)) read_leases();
}

/// Measures jobs whose holders say nothing, while there are any that can be read.
void Daemon::Impl::read_leases() {
  lease_timer_.expires_after(kLeaseSamples);
  lease_timer_.async_wait([this](error_code error) {
    reads_leases_ = !error && !stopping_ && !trees_.empty();
    if (!reads_leases_) return;
    faults_.contain(FaultPlace::timer, "leases", [this] {
      if (governing_.window.law == Law::knee) routes_.jobs().usages().measure_silent(Clock::now());
    });
    read_leases();
  });
}

/// Runs the tasks due once a second; a failing one stops none of the others.
void Daemon::Impl::poll_all() {
  const auto each = [this](const char* what, auto work) {
    faults_.contain(FaultPlace::timer, what, work);
  };
  each("state", [this] { routes_.jobs().flush(Clock::now()); });
  each("log", [this] { log_registration(registration_log_.due(Clock::now())); });
  each("history", [this] {
    if (history_) history_->refresh();
  });
  each("groups", [this] { oom_groups_.sample(Clock::now()); });
  each("executor", [this] {
    if (auto before = executor_.group(); executor_.poll(Clock::now())) {
      judge_executor(std::move(before));
    }
  });
  each("timeline", [this] {
    if (timeline_.is_due(Clock::now())) timeline_.sample(governor_->status());
  });
  each("record", [this] { record_.poll(*governor_, routes_.jobs().all()); });
  each("shadow", [this] {
    if (shadow_) shadow_->see(governor_->status(), routes_.jobs());
  });
  each("events", [this] { routes_.tell_listeners(); });
  each("memory", [this] { give_back_memory(); });
  each("drain", [this] {
    if (drain_) check_drain();
  });
  each("idle", [this] { end_if_idle(); });
}

void Daemon::Impl::end_if_idle() {
  const std::size_t jobs = governor_->status().running + governor_->status().pending;
  const TimePoint now = Clock::now();
  if (jobs + server_.connections() > 0) last_used_ = now;
  const std::optional<Duration>& after = options_.exit_when_idle;
  if (stopping_ || !after || now - last_used_ < *after) return;
  stop_now("unused for " + print_duration(*after));
}

/// Returns memory to the kernel once most jobs and clients of a load peak have gone.
void Daemon::Impl::give_back_memory() {
  if (!memory_release_.is_due(routes_.jobs().size() + server_.connections())) return;
  routes_.jobs().release_memory();
  malloc_trim(0);
}

void Daemon::Impl::feed_watchdog(Duration period) {
  manager_.ping_watchdog();
  watchdog_timer_.expires_after(period);
  watchdog_timer_.async_wait([this, period](error_code error) {
    if (!error) feed_watchdog(period);
  });
}

void Daemon::Impl::arm_deadline(TimePoint earliest) {
  auto next = routes_.jobs().next_deadline();
  if (next) next = std::max(*next, earliest);
  // A timer that fires early costs less than one that every request resets.
  if (!next || (armed_for_ && *armed_for_ <= *next)) return;
  armed_for_ = next;
  deadline_timer_.expires_at(*next);
  deadline_timer_.async_wait([this](error_code error) {
    if (error) return;
    armed_for_.reset();
    const bool is_done = faults_.contain(FaultPlace::timer, "deadlines",
                                         [this] { routes_.jobs().tick(Clock::now()); });
    arm_deadline(is_done ? TimePoint{} : Clock::now() + kAfterFailure);
  });
}

Daemon::Daemon(ServeOptions options, Log log)
    : impl_(std::make_unique<Impl>(checked(std::move(options), log), log)) {}

Daemon::~Daemon() = default;

void Daemon::run() { impl_->run(); }

void Daemon::stop() { impl_->stop(); }

const std::string& Daemon::socket() const { return impl_->facts.socket; }

const std::string& Daemon::listen() const { return impl_->facts.listen; }

}  // namespace sluice

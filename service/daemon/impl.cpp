#include "service/daemon/impl.h"

#include <algorithm>

#include "base/clock.h"
#include "base/host_identity.h"
#include "base/process_table.h"
#include "base/suggest.h"
#include "base/text.h"
#include "config/start_only.h"
#include "metrics/prometheus.h"
#include "process/local_brake.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"
#include "service/api/jobserver_json.h"
#include "service/daemon/host_check.h"
#include "service/daemon/parts.h"
#include "service/daemon/process_facts.h"
#include "service/daemon/revision.h"
#include "service/http/tcp_listen.h"
#include "service/jobs/job_store.h"
#include "sluice/embed.h"
#include "sluice/version.h"

namespace sluice {
namespace {

using boost::system::error_code;

/// How long a client may take to fetch its last answer.
constexpr Duration kFarewell = std::chrono::seconds(2);

}  // namespace

std::variant<Config, std::vector<ConfigError>> Daemon::Impl::load() {
  ConfigResult result = read_config(options_.config_file, usable_cpus(executor_.group()));
  if (!std::holds_alternative<Config>(result)) return result;
  if (options_.amend) options_.amend(std::get<Config>(result));
  Config& config = std::get<Config>(result);
  const auto refuse = [&](const std::string& message, ConfigPosition at = {}) {
    return std::vector{ConfigError{options_.config_file, at.line, at.column, message}};
  };
  const bool is_empty = config.content == Config::Content::nothing;
  if (is_empty && has_settings_) return refuse("the file is empty: write {} for the defaults");
  auto access = access_by(config.service);
  if (const auto* wrong = std::get_if<AccessProblem>(&access)) {
    return refuse(wrong->message, config.given[wrong->option]);
  }
  const EnforceVerdict enforce = enforce_verdict(config);
  if (!enforce.refusal.empty()) return refuse(enforce.refusal, config.given["memory.enforce"]);
  if (!enforce.warning.empty()) log_(LogLevel::warning, enforce.warning);
  try {
    Options options = config.governing;
    // The disk sensor watches the folder that is in use.
    options.state_dir = options_.config.governing.state_dir;
    Assembly assembly = assemble(options, learning(history_, log_), executor_.group());
    assembly.options.when_red = options_.when_red;
    const Infallible whole;
    governor_->reload(std::move(assembly.options), std::move(assembly.sensors),
                      std::move(assembly.cost_model));
    learn_with(std::move(assembly.history), options);
    routes_.set_access(std::get<Access>(std::move(access)));
    governing_ = options;
    has_settings_ = config.has_settings;
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  return result;
}

/// Uses the group that the socket got at the start, whatever `options` says now.
std::variant<Access, AccessProblem> Daemon::Impl::access_by(const ServiceOptions& options) const {
  const auto group = socket_group(options_.config.service);
  if (const auto* wrong = std::get_if<AccessProblem>(&group)) return *wrong;
  return read_access(options, std::get<gid_t>(group), claim_.path());
}

void Daemon::Impl::warn_of_network() const {
  if (!http::listens_to_network(*tcp_)) return;
  log_(LogLevel::warning, "http://" + facts.listen +
                              " is open to the network: anyone who reaches it can read metrics, "
                              "status and jobs, and tokens cross the network unencrypted");
}

bool Daemon::Impl::is_jqm_compatible(std::string_view manager) const {
  const auto found = resources_.find(std::string(manager));
  return found != resources_.end() && found->second.jqm_compatible;
}

MemoryMeter Daemon::Impl::watched_memory(ReservationOptions::Brake brake) const {
  const bool is_given = brake != ReservationOptions::Brake::off && options_.memory;
  return is_given ? options_.memory : brake_meter(brake);
}

/// Learned history stays in memory while learning is off, for the next reload.
void Daemon::Impl::learn_with(std::shared_ptr<History> history, const Options& options) {
  routes_.jobs().usages().learn_with(history);
  jobserver_.learn_with(history_or_new(history));
  const ReservationOptions& reservation = options.reservation;
  jobserver_.brake_with(watched_memory(reservation.brake));
  routes_.jobs().usages().configure_memory(reservation, watched_memory(reservation.brake));
  sources_->configure(history, reservation, watched_memory(reservation.brake));
  if (!history) return;
  history->configure(settle(options.cost, options.window.law), options.reservation);
  history_ = std::move(history);
}

/// Returns the problem if this fails; everything then stays sized as it was.
std::optional<std::string> Daemon::Impl::size_for_executor() {
  try {
    Assembly assembly = assemble(governing_, learning(history_, log_), executor_.group());
    assembly.options.when_red = options_.when_red;
    const Infallible whole;
    governor_->reload(std::move(assembly.options), std::move(assembly.sensors),
                      std::move(assembly.cost_model));
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Sizes everything for the executor as known now, or else as known before; then returns the
/// problem with the current one.
std::optional<std::string> Daemon::Impl::judge_executor(
    std::shared_ptr<const ExecutorGroup> before) {
  const auto wrong = size_for_executor();
  if (!wrong) {
    renew_shadow();
    return std::nullopt;
  }
  std::string problem =
      (executor_.group() ? "the executor cannot be governed: " : "this host cannot be governed: ") +
      *wrong;
  log_(LogLevel::error, problem);
  // Still sized as before, which is all there is to fall back to.
  if (!executor_.group()) return problem;
  executor_.reject(std::move(before), problem);
  // A quota may have changed since the previous group was sized; that does no harm.
  if (const auto again = size_for_executor())
    log_(LogLevel::error, "nor can the previous one: " + *again);
  return problem;
}

namespace {

std::string memory_text(const ExecutorGroup& group, const ExecutorLimits& limits) {
  if (limits.memory) return bytes_text(*limits.memory);
  const auto& folders = group.folders;
  return std::any_of(folders.begin(), folders.end(), accounts_memory)
             ? "unlimited"
             : "not accounted in the attached cgroup";
}

}  // namespace

std::variant<ExecutorLimits, ApiError> Daemon::Impl::attach(
    const http::Peer& peer, const std::vector<SentDirectory>& directories,
    http::ReceivedDescriptors& descriptors) {
  const auto before = executor_.group();
  if (auto error = executor_.attach(peer, directories, descriptors)) return *std::move(error);
  const bool is_another = executor_.group() != before;
  if (is_another) {
    if (auto problem = judge_executor(before)) {
      return ApiError{422, "cannot_govern", *std::move(problem)};
    }
  }
  const HostPaths paths{"", executor_.group()};
  const HostFacts host = read_host_facts(paths);
  ExecutorLimits limits{std::nullopt, host.cpu_quota};
  for (const MemoryLimit& each : memory_meter(paths, host)(Clock::now())) {
    if (each.where == "host") continue;
    if (!limits.memory || each.limit < *limits.memory) limits.memory = each.limit;
  }
  if (!is_another) return limits;
  log_(LogLevel::info, "executor: memory " + memory_text(*executor_.group(), limits) + ", CPUs " +
                           (limits.cpus ? number_text(*limits.cpus) : "unlimited"));
  return limits;
}

Shadow::Loaded Daemon::Impl::load_shadow() const {
  if (options_.shadow_file.empty()) return std::unique_ptr<Shadow>();
  return Shadow::load(options_.shadow_file, {state_folder_of(governing_), history_,
                                             executor_.group(), options_.when_red});
}

void Daemon::Impl::begin_shadow() {
  auto shadow = load_shadow();
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&shadow)) {
    throw CannotServe(to_string(errors->front()));
  }
  shadow_ = std::get<std::unique_ptr<Shadow>>(std::move(shadow));
  if (shadow_) compare_shadow();
}

/// Tells from time to time what the other configuration would do.
void Daemon::Impl::compare_shadow() {
  shadow_timer_.expires_after(kShadowEvery);
  shadow_timer_.async_wait([this](error_code error) {
    if (error || stopping_) return;
    faults_.contain(FaultPlace::timer, "shadow",
                    [this] { shadow_->poll(routes_.jobs(), Clock::now()); });
    compare_shadow();
  });
}

/// Sizes the shadow for the executor as known now; if that fails, it stays as it was.
void Daemon::Impl::renew_shadow() {
  auto shadow = load_shadow();
  if (auto* loaded = std::get_if<std::unique_ptr<Shadow>>(&shadow)) {
    shadow_ = std::move(*loaded);
    return;
  }
  for (const ConfigError& error : std::get<std::vector<ConfigError>>(shadow)) {
    log_(LogLevel::warning, "shadow: " + to_string(error));
  }
}

ReloadResult Daemon::Impl::refuse_reload(const std::vector<ConfigError>& errors) {
  facts.reload_ok = false;
  ++facts.reload_failures;
  for (const ConfigError& error : errors) log_(LogLevel::error, to_string(error));
  log_(LogLevel::error, "reload failed: the old configuration stays in force");
  record_.tell("reload failed", "");
  return errors;
}

/// Loads both files or none.
ReloadResult Daemon::Impl::reload() {
  auto shadow = load_shadow();
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&shadow)) {
    return refuse_reload(*errors);
  }
  const auto use_shadow = [&] {
    shadow_ = std::get<std::unique_ptr<Shadow>>(std::move(shadow));
    if (shadow_) log_(LogLevel::info, "reloaded the shadow " + options_.shadow_file);
  };
  if (options_.config_file.empty()) {
    if (const auto wrong = size_for_executor()) {
      const std::string problem = "this host cannot be governed now: " + *wrong;
      log_(LogLevel::error, "reload: " + problem);
      return std::vector{ConfigError{"", 0, 0, problem}};
    }
    use_shadow();
    log_(LogLevel::info, "reload: no configuration file; re-read this host's limits");
    return NoConfigFile{};
  }
  manager_.reloading();
  const auto result = load();
  facts.reload_ok = std::holds_alternative<Config>(result);
  manager_.ready(facts.reload_ok ? "reloaded"
                                 : "reload failed: the old configuration stays in force");
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    return refuse_reload(*errors);
  }
  use_shadow();
  facts.last_reload_unix = unix_now();
  facts.build = std::get<Config>(result).build;
  statsd_.configure(std::get<Config>(result).statsd);
  drain_on_stop_ = std::get<Config>(result).service.drain_on_stop;
  resources_ = std::get<Config>(result).governing.queueing.resources;
  log_(LogLevel::info, "reloaded " + options_.config_file);
  const auto at_restart = changed_start_only(options_.config, std::get<Config>(result));
  if (!at_restart.empty()) {
    log_(LogLevel::warning, "changed, but read only at startup: " + join_words(at_restart) +
                                "; restart the daemon to apply them");
  }
  record_.tell("reloaded", "");
  record_.configure(std::get<Config>(result));
  return Reloaded{options_.config_file, at_restart};
}

std::string Daemon::Impl::metrics(const Status& status,
                                  std::vector<ClientRequests> requests) const {
  ServiceFacts service;
  static_cast<PartFacts&>(service) = parts();
  fill_process_facts(service);
  service.version = kVersion;
  service.revision = revision();
  service.suspensions = suspensions_;
  service.kept_memory = kept_memory_.facts();
  service.now_unix = unix_now();
  service.client_connections = server_.connections();
  service.client_requests = std::move(requests);
  service.internal_errors = faults_.counts();
  service.statsd_failures = statsd_.failures();
  return prometheus_text(status, service);
}

void Daemon::Impl::take_back_jobs() {
  const auto folder = state_folder_of(options_.config.governing);
  if (!folder) {
    log_(LogLevel::info,
         "state: in memory only, lost when the daemon exits; set `state_dir` to keep jobs");
    return;
  }
  const TimePoint began = Clock::now();
  Jobs& jobs = routes_.jobs();
  try {
    const auto say = [log = log_](const std::string& line) { log(LogLevel::warning, line); };
    restart_ = jobs.attach_store(open_job_store(*folder, this_boot(), say), began);
  } catch (const NewerState& problem) {
    throw CannotServe(std::string("state_dir: ") + problem.what());
  }
  for (const std::string& line : restart_.lines) log_(LogLevel::warning, "state: " + line);
  const bool has_jobs = restart_.adopted + restart_.released + restart_.restored > 0;
  if (!has_jobs && jobs.store()->failing()) return;  // That has been said.
  const Duration took = Clock::now() - began;
  log_(LogLevel::info, "state: " + jobs.store()->path() + ": adopted " +
                           std::to_string(restart_.adopted) + " running jobs, released " +
                           std::to_string(restart_.released) + " that were gone, restored " +
                           std::to_string(restart_.restored) + " pending ones in " +
                           duration_text(took, Precision::milliseconds));
}

PartFacts Daemon::Impl::parts() const {
  PartFacts parts = facts;
  if (const JobStore* store = routes_.jobs().store()) {
    parts.state = {.path = store->path(),
                   .failing = store->failing(),
                   .adopted = restart_.adopted,
                   .released = restart_.released,
                   .restored = restart_.restored};
  }
  if (StorePlace place = history_ ? history_->place() : StorePlace{}; !place.path.empty()) {
    parts.state.history = {std::move(place.path), std::move(place.failing)};
  }
  parts.record = record_.facts();
  parts.shadow = shadow_ ? std::optional(shadow_->facts()) : std::nullopt;
  parts.work_sources = sources_->facts();
  parts.jobserver = sum_of(jobserver_.views(), jobserver_.totals());
  return parts;
}

/// A second SIGTERM ends the wait.
void Daemon::Impl::terminate() {
  if (drain_) return stop_now("SIGTERM again");
  drain_.emplace(drain_on_stop_, Clock::now());
  governor_->drain();
  routes_.leave();
  sources_->drain();
  check_drain();
}

void Daemon::Impl::check_drain() {
  const StopDrain::Step step = drain_->poll(sources_->jobs(), Clock::now());
  if (step.is_over) return stop_now("SIGTERM");
  if (!step.told) return;
  log_(LogLevel::info, *step.told);
  manager_.draining(*step.told, StopDrain::kExtension);
}

void Daemon::Impl::stop_now(const std::string& why) {
  if (std::exchange(stopping_, true)) return;
  log_registration(registration_log_.rest());
  log_(LogLevel::info, "stopping: " + why);
  record_.tell("stopping", why);
  manager_.stopping();
  governor_->drain();
  sources_->stop();
  routes_.stop();
  if (record_reader_) record_reader_->stop();
  claim_.withdraw();
  server_.stop();
  statsd_.stop();
  await_clients(Clock::now() + kFarewell);
}

void Daemon::Impl::await_clients(TimePoint until) {
  const TimePoint now = Clock::now();
  const bool is_asked = server_.connections() > 0 && now < until;
  const bool is_at_work = sources_->jobs() > 0 && now < until + kFarewell;
  if (!is_asked && !is_at_work) return context_.stop();
  tick_timer_.expires_after(std::chrono::milliseconds(10));
  tick_timer_.async_wait([this, until](error_code) { await_clients(until); });
}

}  // namespace sluice

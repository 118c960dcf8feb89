#include "service/daemon_impl.h"
#include "service/daemon_parts.h"
#include "service/run_brake.h"
#include "sluice/embed.h"

namespace sluice {

std::variant<Config, std::vector<ConfigError>> Daemon::Impl::load() {
  ConfigResult result = read_config(options_.config_file, usable_cpus());
  if (!std::holds_alternative<Config>(result)) return result;
  auto access = access_by(std::get<Config>(result).service);
  if (const auto* wrong = std::get_if<AccessProblem>(&access)) {
    const ConfigPosition at = std::get<Config>(result).given[wrong->option];
    return std::vector<ConfigError>{{options_.config_file, at.line, at.column, wrong->message}};
  }
  try {
    const Options& options = std::get<Config>(result).governing;
    Assembly assembly = assemble(options, learning(history_, log_));
    governor_->reload(std::move(assembly.options), std::move(assembly.sensors),
                      std::move(assembly.cost_model));
    learn_with(std::move(assembly.history), options);
    routes_.let_in(std::get<Access>(std::move(access)));
  } catch (const std::exception& error) {
    return std::vector<ConfigError>{{options_.config_file, 0, 0, error.what()}};
  }
  return result;
}

/// By the group that the socket was given at the start, whatever `options` says now.
std::variant<Access, AccessProblem> Daemon::Impl::access_by(const ServiceOptions& options) const {
  const auto group = socket_group(options_.config.service);
  if (const auto* wrong = std::get_if<AccessProblem>(&group)) return *wrong;
  return read_access(options, std::get<gid_t>(group), claim_.path());
}

void Daemon::Impl::warn_of_network() const {
  if (!listens_to_network(*tcp_)) return;
  log_(LogLevel::warning, "http://" + facts.listen +
                              " is open to the network: whoever reaches it may read metrics, "
                              "status and jobs, and sees a token that is sent there in clear");
}

MemoryMeter Daemon::Impl::watched_memory(ReservationOptions::Brake brake) const {
  const bool is_given = brake != ReservationOptions::Brake::off && options_.memory;
  return is_given ? options_.memory : brake_meter(brake);
}

/// What was learned stays known when nothing is learned any more, for the next reload.
void Daemon::Impl::learn_with(std::shared_ptr<History> history, const Options& options) {
  routes_.jobs().learn_with(history);
  jobserver_.learn_with(history_or_new(history));
  const ReservationOptions& reservation = options.reservation;
  jobserver_.brake_with(watched_memory(reservation.brake));
  routes_.jobs().keep_memory(reservation, watched_memory(reservation.brake));
  sources_->configure(history, reservation, watched_memory(reservation.brake));
  if (!history) return;
  history->configure(options.cost, options.reservation);
  history_ = std::move(history);
}

ReloadResult Daemon::Impl::reload() {
  if (options_.config_file.empty()) {
    log_(LogLevel::warning, "reload: there is no configuration file");
    return NoConfigFile{};
  }
  manager_.reloading();
  const auto result = load();
  facts.reload_ok = std::holds_alternative<Config>(result);
  manager_.ready(facts.reload_ok ? "reloaded" : "reload failed: the old configuration stays");
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    ++facts.reload_failures;
    for (const ConfigError& error : *errors) log_(LogLevel::error, to_string(error));
    log_(LogLevel::error, "reload failed: the old configuration stays");
    return *errors;
  }
  facts.last_reload_unix = unix_now();
  statsd_.configure(std::get<Config>(result).statsd);
  drain_on_stop_ = std::get<Config>(result).service.drain_on_stop;
  resources_ = std::get<Config>(result).governing.queueing.resources;
  log_(LogLevel::info, "reloaded " + options_.config_file);
  return options_.config_file;
}

}  // namespace sluice

#include "cli/autoscale/plan.h"

#include <stdexcept>

#include "autoscale/scaler_exec.h"
#include "autoscale/scaler_kubernetes.h"
#include "base/file_contents.h"
#include "base/shell_command.h"
#include "base/text.h"
#include "base/value_or_throw.h"
#include "base/values.h"
#include "cli/settings/config_from.h"
#include "service/access/bearer_token.h"

namespace sluice::cli {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw std::runtime_error("--" + option + ": " + why);
}

/// A time with its unit, or a bare number of `bare` units.
Duration time_of(const std::string& option, const std::string& text, Duration bare) {
  const auto number = parse_decimal(text);
  auto parsed = parse_duration(text);
  if (const double* count = std::get_if<double>(&number)) {
    constexpr double most = 1e6;
    if (!(*count >= 0 && *count <= most)) refuse(option, "must be from 0 to 1000000");
    return std::chrono::duration_cast<Duration>(bare * *count);
  }
  if (const auto* error = std::get_if<ValueError>(&parsed)) {
    refuse(option, "`" + text + "` " + error->expected +
                       (error->hint.empty() ? "" : " (" + error->hint + ")"));
  }
  return std::get<Duration>(parsed);
}

Duration above_zero(const std::string& option, const std::string& text) {
  const Duration time = time_of(option, text, std::chrono::seconds(1));
  if (time <= Duration{0}) refuse(option, "must be above 0");
  return time;
}

void take_time(const char* option, const std::string& text, Duration bare, auto& into) {
  if (!text.empty()) into = time_of(option, text, bare);
}

/// The words of a command; uses a shell if there is more to it than plain words.
std::vector<std::string> words_of(const std::string& option, const std::string& line) {
  // A shell interprets braces; valid names need no quotes.
  constexpr std::string_view place = "{name}";
  constexpr std::string_view plain_place = "@name@";
  if (line.find_first_not_of(" \t") == std::string::npos) refuse(option, "names no command");
  auto words = plain_words(replaced(line, place, plain_place));
  if (!words) return {"/bin/sh", "-c", line};
  for (std::string& word : *words) word = replaced(word, plain_place, place);
  return *words;
}

AutoscaleOptions rules_of(const AutoscaleArguments& given) {
  AutoscaleOptions rules = config_from(given.config).autoscale;
  if (given.max) rules.max = given.max;
  if (given.min) rules.min = given.min;
  if (given.add) rules.add = *given.add;
  take_time("interval", given.interval, std::chrono::seconds(1), rules.interval);
  take_time("wait", given.wait, std::chrono::seconds(1), rules.wait);
  take_time("kill-after", given.kill_after, std::chrono::minutes(1), rules.kill_after);
  take_time("billing", given.billing, std::chrono::minutes(1), rules.billing);
  take_time("stabilise", given.stabilise, std::chrono::seconds(1), rules.stabilise);
  take_time("lookback", given.lookback, std::chrono::minutes(1), rules.lookback);
  if (given.rules == "starcluster") rules.rules = ScaleRules::starcluster;
  if (given.rules == "window") rules.rules = ScaleRules::window;
  if (given.kill_master) rules.kill_master = true;
  if (const auto problem = check_autoscale(rules)) {
    std::string option = problem->field;
    for (char& c : option) c = c == '_' ? '-' : c;
    throw std::runtime_error("--" + option + problem->message.substr(problem->field.size()));
  }
  return rules;
}

Endpoint place_of(const char* option, const std::string& text) {
  return value_or_throw(parse_endpoint(text), std::string("--") + option + ": ");
}

NamedExecutors named(const AutoscaleArguments& given) {
  NamedExecutors named;
  for (const std::string& text : given.executors) {
    named.executors.push_back(value_or_throw(parse_executor(text), "--executor: "));
  }
  if (const std::string twice = twice_named(named.executors); !twice.empty()) {
    refuse("executor", twice + " is named twice");
  }
  return named;
}

FleetPlaces fleet_places(const AutoscaleArguments& given,
                         const std::shared_ptr<const KubernetesApi>& api) {
  const bool pods = !given.pods_port.empty();
  const int ways = (given.executors.empty() ? 0 : 1) + (given.dns.empty() ? 0 : 1) +
                   (given.list_command.empty() ? 0 : 1) + (given.prometheus.empty() ? 0 : 1) +
                   (pods ? 1 : 0);
  if (ways == 0 && !api) {
    refuse("executor",
           "say where the executors are: --executor, --dns, --list-command, "
           "--prometheus or --pods");
  }
  if (ways > 1) {
    refuse("executor",
           "one of --executor, --dns, --list-command, --prometheus and --pods says "
           "where the executors are");
  }
  if (!given.executors.empty()) return named(given);
  if (!given.dns.empty()) {
    const Endpoint place = place_of("dns", given.dns);
    if (place.kind != Endpoint::Kind::plain) refuse("dns", "must be NAME:PORT");
    return DnsExecutors{place.host, place.port};
  }
  if (!given.list_command.empty()) {
    return ListedExecutors{words_of("list-command", given.list_command)};
  }
  if (!given.prometheus.empty()) {
    PrometheusOptions prometheus;
    prometheus.server = place_of("prometheus", given.prometheus);
    if (prometheus.server.kind == Endpoint::Kind::tls) {
      refuse("prometheus", "https is not supported; use http://HOST:PORT");
    }
    prometheus.selector = given.selector;
    return prometheus;
  }
  if (!api) refuse("pods", "needs --workload");
  const std::string port = pods ? given.pods_port : "9797";
  place_of("pods", "pod:" + port);
  return PodExecutors{api, port};
}

std::shared_ptr<const KubernetesApi> api_of(const AutoscaleArguments& given) {
  if (given.workload.empty()) {
    if (given.scaler == "kubernetes") refuse("workload", "is required by --scaler kubernetes");
    return nullptr;
  }
  KubernetesOptions options;
  const std::size_t slash = given.workload.find('/');
  const std::string kind = given.workload.substr(0, slash);
  options.name = slash == std::string::npos ? "" : given.workload.substr(slash + 1);
  if ((kind != "deployment" && kind != "statefulset") || options.name.empty()) {
    refuse("workload", "must be deployment/NAME or statefulset/NAME");
  }
  if (kind == "statefulset") options.kind = WorkloadKind::stateful_set;
  options.space = given.space;
  options.server = given.api;
  options.account = given.account;
  options.timeout = std::min<Duration>(above_zero("scaler-timeout", given.scaler_timeout),
                                       std::chrono::seconds(30));
  return std::make_shared<const KubernetesApi>(std::move(options));
}

std::unique_ptr<Scaler> scaler_of(const AutoscaleArguments& given,
                                  const std::shared_ptr<const KubernetesApi>& api) {
  if (given.scaler == "kubernetes") return std::make_unique<KubernetesScaler>(*api);
  if (given.scaler == "none") return nullptr;
  ExecScaler::Options options;
  for (const char* option : {"add-command", "remove-command"}) {
    const bool adds = option == std::string("add-command");
    const std::string& line = adds ? given.add_command : given.remove_command;
    if (line.find("{name}") == std::string::npos) {
      refuse(option, "is required by --scaler exec, with {name} where the executor's name belongs");
    }
    (adds ? options.add : options.remove) = words_of(option, line);
  }
  options.timeout = above_zero("scaler-timeout", given.scaler_timeout);
  return std::make_unique<ExecScaler>(std::move(options));
}

std::string token_in(const std::string& path) {
  if (path.empty()) return "";
  // The daemon's own rules apply: no other user may read or change the file.
  value_or_throw(BearerToken::read(path), "--token-file: ");
  std::string token = file_contents(path).value_or("");
  while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  return token;
}

}  // namespace

AutoscalePlan autoscale_plan(const AutoscaleArguments& given) {
  AutoscalePlan plan;
  plan.settings.rules = rules_of(given);
  plan.settings.master = given.master;
  plan.settings.job_cost = Points{given.job_cost};
  plan.settings.boot = above_zero("boot", given.boot);
  plan.api = api_of(given);
  plan.places = fleet_places(given, plan.api);
  const bool told = std::holds_alternative<PodExecutors>(plan.places);
  if (told) plan.settings.ordered = FleetSettings::Ordered::told;
  if (!told && given.scaler == "kubernetes") {
    refuse("pods", "--scaler kubernetes finds the executors by their pods, and nothing else");
  }
  if (!given.gearman.empty()) {
    const Endpoint place = place_of("gearman", given.gearman);
    if (place.kind != Endpoint::Kind::plain) refuse("gearman", "must be HOST:PORT");
    plan.queue = CentralQueue{place, given.functions};
  }
  plan.asking.timeout = above_zero("timeout", given.timeout);
  plan.asking.token = token_in(given.token_file);
  plan.scaler = scaler_of(given, plan.api);
  return plan;
}

}  // namespace sluice::cli

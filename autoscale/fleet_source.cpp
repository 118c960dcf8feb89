#include "autoscale/fleet_source.h"

#include <algorithm>
#include <utility>

#include "autoscale/connected_stream.h"
#include "autoscale/fleet_gearman.h"
#include "autoscale/scaler_exec.h"
#include "base/parse.h"
#include "base/suggest.h"

namespace sluice {
namespace {

SeenExecutor at_address(const std::string& host, const std::string& port) {
  SeenExecutor executor;
  executor.place = {HttpPlace::Kind::plain, host, port, ""};
  executor.id = to_string(executor.place);
  return executor;
}

FleetMembers members_of(const NamedExecutors& named, const AskingOptions&) {
  return named.executors;
}

FleetMembers members_of(const DnsExecutors& dns, const AskingOptions& asking) {
  const auto addresses = addresses_of(dns.name, Clock::now() + asking.timeout);
  if (const auto* problem = std::get_if<std::string>(&addresses)) return *problem;
  std::vector<SeenExecutor> executors;
  for (const std::string& address : std::get<std::vector<std::string>>(addresses)) {
    executors.push_back(at_address(address, dns.port));
  }
  return executors;
}

FleetMembers members_of(const ListedExecutors& listed, const AskingOptions& asking) {
  const OrderOutcome outcome = run_order(listed.command, asking.timeout);
  if (!outcome.problem.empty()) return "the list of executors: " + outcome.problem;
  auto executors = parse_executors(outcome.output);
  if (const auto* problem = std::get_if<std::string>(&executors)) {
    return "the list of executors: " + *problem;
  }
  return executors;
}

FleetMembers members_of(const PodExecutors& pods, const AskingOptions&) {
  const auto scale = pods.api->scale();
  if (const auto* problem = std::get_if<std::string>(&scale)) return *problem;
  const auto& known = std::get<WorkloadScale>(scale);
  const auto there = pods.api->pods(known);
  if (const auto* problem = std::get_if<std::string>(&there)) return *problem;
  return executors_of(known, std::get<std::vector<Pod>>(there), pods.port);
}

FleetMembers members_of(const PrometheusOptions& prometheus, const AskingOptions&) {
  return ask_prometheus(prometheus);
}

}  // namespace

std::variant<SeenExecutor, std::string> parse_executor(std::string_view text) {
  text = trimmed(text);
  SeenExecutor executor;
  const std::size_t end = text.find_first_of("= \t");
  const std::string_view address =
      end == std::string_view::npos ? text : trimmed(text.substr(end + 1));
  executor.id = text.substr(0, end);
  const auto place = parse_http_place(address);
  if (const auto* wrong = std::get_if<std::string>(&place)) return *wrong;
  executor.place = std::get<HttpPlace>(place);
  if (executor.place.kind == HttpPlace::Kind::tls) return "executors do not speak https";
  const bool named = end != std::string_view::npos;
  if (named && !is_executor_name(executor.id)) {
    return "the name of an executor has letters, digits and ._:@%+- alone, not " +
           quote_text(executor.id);
  }
  return executor;
}

FleetMembers parse_executors(std::string_view text) {
  std::vector<SeenExecutor> executors;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    if (line.empty() || line.starts_with('#')) continue;
    auto executor = parse_executor(line);
    if (auto* wrong = std::get_if<std::string>(&executor)) return *wrong;
    executors.push_back(std::get<SeenExecutor>(std::move(executor)));
  }
  return executors;
}

FleetMembers executors_of(const WorkloadScale& scale, const std::vector<Pod>& pods,
                          const std::string& port) {
  std::vector<SeenExecutor> executors;
  std::int64_t staying = 0;
  for (const Pod& pod : pods) {
    SeenExecutor executor = at_address(pod.address, port);
    executor.id = pod.name;
    executor.leaving = pod.leaving;
    executor.booting = !pod.leaving && (pod.address.empty() || !pod.started);
    staying += pod.leaving ? 0 : 1;
    // It has ended and is merely still listed.
    if (pod.leaving && (pod.address.empty() || !pod.started)) continue;
    executors.push_back(std::move(executor));
  }
  for (std::int64_t missing = staying; missing < scale.replicas; ++missing) {
    SeenExecutor executor;
    executor.id = "(pod " + std::to_string(missing + 1) + ")";
    executor.booting = true;
    executors.push_back(std::move(executor));
  }
  return executors;
}

FleetLook look_at_fleet(const FleetPlaces& places, const std::optional<CentralQueue>& queue,
                        const AskingOptions& asking) {
  FleetLook look;
  FleetMembers members =
      std::visit([&](const auto& each) { return members_of(each, asking); }, places);
  if (auto* problem = std::get_if<std::string>(&members)) {
    look.blind = std::move(*problem);
    return look;
  }
  look.executors = std::get<std::vector<SeenExecutor>>(std::move(members));
  if (const std::string name = twice_named(look.executors); !name.empty()) {
    look.blind = "two executors have the name " + quote_text(name);
    return look;
  }
  if (!std::holds_alternative<PrometheusOptions>(places)) ask_executors(look.executors, asking);
  if (!queue) return look;
  const auto waiting = ask_gearmand(queue->server, queue->functions, Clock::now() + asking.timeout);
  if (const auto* problem = std::get_if<std::string>(&waiting)) {
    look.blind = *problem;
  } else {
    look.central = std::get<std::int64_t>(waiting);
  }
  return look;
}

}  // namespace sluice

#include "autoscale/fleet_source.h"

#include <utility>

#include "autoscale/connected_stream.h"
#include "autoscale/fleet_gearman.h"
#include "autoscale/scaler_exec.h"
#include "base/parse.h"
#include "base/suggest.h"

namespace sluice {
namespace {

ExecutorObservation at_address(const std::string& host, const std::string& port) {
  ExecutorObservation executor;
  executor.place = {Endpoint::Kind::plain, host, port, ""};
  executor.id = to_string(executor.place);
  return executor;
}

FleetMembers members_of(const NamedExecutors& named, const AskingOptions&) {
  return named.executors;
}

FleetMembers members_of(const DnsExecutors& dns, const AskingOptions& asking) {
  const auto addresses = addresses_of(dns.name, Clock::now() + asking.timeout);
  if (const auto* problem = std::get_if<std::string>(&addresses)) return *problem;
  std::vector<ExecutorObservation> executors;
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

std::variant<ExecutorObservation, std::string> parse_executor(std::string_view text) {
  text = trimmed(text);
  ExecutorObservation executor;
  const std::size_t end = text.find_first_of("= \t");
  const std::string_view address =
      end == std::string_view::npos ? text : trimmed(text.substr(end + 1));
  executor.id = text.substr(0, end);
  const auto place = parse_endpoint(address);
  if (const auto* wrong = std::get_if<std::string>(&place)) return *wrong;
  executor.place = std::get<Endpoint>(place);
  if (executor.place.kind == Endpoint::Kind::tls) return "executors do not speak https";
  const bool named = end != std::string_view::npos;
  if (named && !is_executor_name(executor.id)) {
    return "the name of an executor may contain only letters, digits and ._:@%+-, not " +
           quote_text(executor.id);
  }
  return executor;
}

FleetMembers parse_executors(std::string_view text) {
  std::vector<ExecutorObservation> executors;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    if (line.empty() || line.starts_with('#')) continue;
    auto executor = parse_executor(line);
    if (auto* wrong = std::get_if<std::string>(&executor)) return *wrong;
    executors.push_back(std::get<ExecutorObservation>(std::move(executor)));
  }
  return executors;
}

FleetMembers executors_of(const WorkloadScale& scale, const std::vector<Pod>& pods,
                          const std::string& port) {
  std::vector<ExecutorObservation> executors;
  std::int64_t staying = 0;
  for (const Pod& pod : pods) {
    ExecutorObservation executor = at_address(pod.address, port);
    executor.id = pod.name;
    executor.leaving = pod.leaving;
    executor.booting = !pod.leaving && (pod.address.empty() || !pod.started);
    staying += pod.leaving ? 0 : 1;
    // It has ended and is only still listed.
    if (pod.leaving && (pod.address.empty() || !pod.started)) continue;
    executors.push_back(std::move(executor));
  }
  for (std::int64_t missing = staying; missing < scale.replicas; ++missing) {
    ExecutorObservation executor;
    executor.id = "(pod " + std::to_string(missing + 1) + ")";
    executor.booting = true;
    executors.push_back(std::move(executor));
  }
  return executors;
}

FleetObservation observe_fleet(const FleetPlaces& places, const std::optional<CentralQueue>& queue,
                               const AskingOptions& asking) {
  FleetObservation fleet;
  FleetMembers members =
      std::visit([&](const auto& each) { return members_of(each, asking); }, places);
  if (auto* problem = std::get_if<std::string>(&members)) {
    fleet.blind = std::move(*problem);
    return fleet;
  }
  fleet.executors = std::get<std::vector<ExecutorObservation>>(std::move(members));
  if (const std::string name = twice_named(fleet.executors); !name.empty()) {
    fleet.blind = "two executors have the name " + quote_text(name);
    return fleet;
  }
  if (!std::holds_alternative<PrometheusOptions>(places)) ask_executors(fleet.executors, asking);
  if (!queue) return fleet;
  const auto waiting = ask_gearmand(queue->server, queue->functions, Clock::now() + asking.timeout);
  if (const auto* problem = std::get_if<std::string>(&waiting)) {
    fleet.blind = *problem;
  } else {
    fleet.central = std::get<std::int64_t>(waiting);
  }
  return fleet;
}

}  // namespace sluice

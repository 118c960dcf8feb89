#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/fleet_look.h"
#include "autoscale/fleet_prometheus.h"
#include "autoscale/kubernetes_api.h"

namespace sluice {

/// Executors that are named one by one.
struct NamedExecutors {
  std::vector<SeenExecutor> executors;
};
/// All addresses of a name, each with the same port.
struct DnsExecutors {
  std::string name, port;
};
/// What a command prints: a line for each, "NAME ADDRESS".
struct ListedExecutors {
  std::vector<std::string> command;
};
/// The pods of a workload.
struct PodExecutors {
  std::shared_ptr<const KubernetesApi> api;
  std::string port;
};

/// Where executors are found.
using FleetPlaces =
    std::variant<NamedExecutors, DnsExecutors, ListedExecutors, PodExecutors, PrometheusOptions>;

/// A queue that all executors take their jobs from.
struct CentralQueue {
  HttpPlace server;  ///< gearmand's.
  std::vector<std::string> functions;
};

/// "NAME=ADDRESS", "NAME ADDRESS" or "ADDRESS", which is its own name then; else what it must be.
/// Pure.
std::variant<SeenExecutor, std::string> parse_executor(std::string_view text);

/// What a list command printed: empty lines and those that begin with # say nothing. Pure.
FleetMembers parse_executors(std::string_view text);

/// The pods as executors; those that are wanted and not there yet are booting. Pure.
FleetMembers executors_of(const WorkloadScale& scale, const std::vector<Pod>& pods,
                          const std::string& port);

/// Looks at the fleet: who is in it, what each says, and what waits for all. `asking.timeout`
/// bounds each question.
FleetLook look_at_fleet(const FleetPlaces& places, const std::optional<CentralQueue>& queue,
                        const AskingOptions& asking);

}  // namespace sluice

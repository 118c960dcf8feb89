#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/fleet_observation.h"
#include "autoscale/fleet_prometheus.h"
#include "autoscale/kubernetes_api.h"

namespace sluice {

/// Executors listed one by one.
struct NamedExecutors {
  std::vector<ExecutorObservation> executors;
};
/// All addresses of a name, each with the same port.
struct DnsExecutors {
  std::string name, port;
};
/// The output of a command: one line each, "NAME ADDRESS".
struct ListedExecutors {
  std::vector<std::string> command;
};
/// The pods of a workload.
struct PodExecutors {
  std::shared_ptr<const KubernetesApi> api;
  std::string port;
};

/// Where to find executors.
using FleetPlaces =
    std::variant<NamedExecutors, DnsExecutors, ListedExecutors, PodExecutors, PrometheusOptions>;

/// A queue from which all executors take their jobs.
struct CentralQueue {
  Endpoint server;  ///< gearmand's.
  std::vector<std::string> functions;
};

/// "NAME=ADDRESS", "NAME ADDRESS", or "ADDRESS", which is then its own name; on error, the expected
/// form. Pure.
std::variant<ExecutorObservation, std::string> parse_executor(std::string_view text);

/// Parses the output of a list command; skips empty lines and those that begin with #. Pure.
FleetMembers parse_executors(std::string_view text);

/// The pods as executors; requested pods that do not exist yet are booting. Pure.
FleetMembers executors_of(const WorkloadScale& scale, const std::vector<Pod>& pods,
                          const std::string& port);

/// Observes the fleet: its members, the report of each, and the shared queue. `asking.timeout`
/// bounds each query.
FleetObservation observe_fleet(const FleetPlaces& places, const std::optional<CentralQueue>& queue,
                               const AskingOptions& asking);

}  // namespace sluice

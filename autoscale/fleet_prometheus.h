#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/fleet_look.h"

namespace sluice {

/// A Prometheus server that scrapes the executors.
struct PrometheusOptions {
  HttpPlace server;
  std::string selector = "job=\"sluice\"";  ///< Labels that the executors' series have.
  std::string token;                        ///< Sent to it; empty: none.
  std::string authorities = "/etc/ssl/certs/ca-certificates.crt";
  Duration timeout = std::chrono::seconds(10);
};

/// The question that `read_prometheus` takes the answer to, as a target of the HTTP API. All series
/// of one instant at once. Pure.
std::string prometheus_target(const std::string& selector);

/// The executors by the label `instance`: those that Prometheus tried to scrape, by its metric
/// `up`. One whose scrape failed, or of which a series is missing or is no number, is not seen. No
/// series at all is no fleet of none: it is not known who is in it. Pure.
FleetMembers read_prometheus(std::string_view answer);

/// Asks it.
FleetMembers ask_prometheus(const PrometheusOptions& options);

}  // namespace sluice

#pragma once

#include <string>
#include <string_view>

#include "autoscale/fleet_observation.h"

namespace sluice {

/// A Prometheus server that scrapes the executors.
struct PrometheusOptions {
  Endpoint server;
  std::string selector = "job=\"sluice\"";  ///< Labels that the executors' series have.
  std::string token;                        ///< Sent to the server; empty for none.
  std::string authorities = "/etc/ssl/certs/ca-certificates.crt";
  Duration timeout = std::chrono::seconds(10);
};

/// The query whose answer `read_prometheus` parses, as a target of the HTTP API. Fetches all series
/// at one instant. Pure.
std::string prometheus_target(const std::string& selector);

/// The executors by the label `instance`: those that Prometheus tried to scrape, according to its
/// metric `up`. An executor is unseen if its scrape failed, or if a series is missing or not a
/// number. An answer without series is an error, not an empty fleet. Pure.
FleetMembers read_prometheus(std::string_view answer);

/// Queries the server.
FleetMembers ask_prometheus(const PrometheusOptions& options);

}  // namespace sluice

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// What `sluice autoscale` counts and observes, for its metrics.
struct AutoscaleFacts {
  std::string version;
  int desired = 0;
  int least = 0, most = 0;
  bool blind = false;  ///< The last poll could not see the fleet, or any of its executors.
  double last_observed_unix = 0;
  /// At the last poll, by state: "running", "booting", "draining", "not_seen".
  std::map<std::string, int> executors;
  std::int64_t queued_jobs = 0, running_jobs = 0;
  std::int64_t points = 0, usage = 0;
  double oldest_wait = 0;  ///< Seconds.
  // Since the start.
  std::vector<std::pair<std::string, std::uint64_t>> decisions;  ///< By reason; lists all reasons.
  std::uint64_t added = 0, removed = 0, drained = 0, kept = 0;
  std::uint64_t failed_adds = 0, failed_drains = 0, failed_removes = 0;
  std::uint64_t state_failures = 0;
};

/// The metrics in Prometheus' text format 0.0.4. Pure; thread-safe.
std::string autoscale_text(const AutoscaleFacts& facts);

}  // namespace sluice

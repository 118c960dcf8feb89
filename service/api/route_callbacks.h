#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/process_table.h"
#include "config/config.h"
#include "metrics/service_facts.h"
#include "service/api/record_reading.h"
#include "service/api/timeline.h"
#include "service/api/view.h"
#include "service/http/http.h"
#include "service/jobs/job_callbacks.h"
#include "service/jobs/memory_reserve.h"
#include "service/jobserver/jobserver.h"
#include "service/protocol/api_error.h"
#include "service/protocol/attach_body.h"
#include "sluice/status.h"

namespace sluice {

/// Result of a reload: no file to load, all errors, or the file now in force.
struct NoConfigFile {};
struct Reloaded {
  std::string file;
  std::vector<std::string> at_restart;  ///< Options that it changes only for the next start.
};
using ReloadResult = std::variant<Reloaded, NoConfigFile, std::vector<ConfigError>>;

/// Callbacks from the routes to the daemon. `reply` sends a deferred answer.
struct RouteCallbacks {
  /// The routes themselves set `answer`, and act before `began` and `over`. Without `faults`,
  /// exceptions in routes are neither noted nor counted.
  JobCallbacks jobs;
  /// The users of a process. If unknown (empty or nullopt), untrusted clients may name only their
  /// own process.
  std::function<std::optional<ProcessUsers>(pid_t)> users_of;
  std::function<void(http::ConnectionId, http::Response)> reply;
  std::function<ReloadResult()> reload;
  std::function<DaemonFacts()> daemon_facts;
  std::function<std::string(const Status&, std::vector<ClientRequests>)> metrics;
  std::function<void(std::string_view)> operated;  ///< "paused", "resumed", "draining".
  /// Whether jobs also get JQM's variable name for a manager's items.
  std::function<bool(std::string_view manager)> is_jqm_compatible;
  MemoryReserve* reserve = nullptr;  ///< Outlives the routes; null if no memory is reserved.
  /// A job of a work source by its submitter's name; empty if there are no work sources.
  std::function<std::optional<JobId>(std::string_view name)> fetched_job = {};
  /// Takes over the executor's cgroup, whose directories came with a request.
  std::function<std::variant<ExecutorLimits, ApiError>(
      const http::Peer&, const std::vector<SentDirectory>&, http::ReceivedDescriptors&)>
      attach = {};
  jobserver::Server* jobserver = nullptr;  ///< Outlives the routes; null if there are no clients.
  std::string jobserver_folder;  ///< For fifos; reachable by all who can reach the socket.
  /// Jobservers that may be open at once.
  std::size_t most_jobservers = std::numeric_limits<std::size_t>::max();
  const Timeline* timeline = nullptr;  ///< Outlives the routes; null if nothing is recorded.
  RecordReading* record = nullptr;     ///< Outlives the routes; null if there is no record.
  /// Sends more of a streaming answer; empty if there are no streams.
  std::function<void(http::ConnectionId, std::string_view)> push = {};
};

}  // namespace sluice

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/non_copyable.h"
#include "metrics/service_facts.h"
#include "service/access/access.h"
#include "service/api/job_routes.h"
#include "service/api/jobserver_routes.h"
#include "service/api/operate_routes.h"
#include "service/api/route.h"
#include "service/api/route_callbacks.h"
#include "service/api/route_context.h"
#include "service/api/watch_routes.h"
#include "service/http/http.h"
#include "service/jobs/jobs.h"
#include "service/protocol/api_error.h"
#include "sluice/governor.h"

namespace sluice {

/// The API: turns a request into its answer, without sockets and clocks of its own. Used on the
/// service's thread.
class Routes : NonCopyable {
 public:
  using Callbacks = RouteCallbacks;

  Routes(Governor& governor, Callbacks callbacks);

  /// Returns the answer, or nullopt if `reply` will send it later. An exception in a route becomes
  /// a 500; the accounts are then as before, or the submitted job has ended.
  std::optional<http::Response> handle(const http::Request& request, const Instant& instant);

  /// Sets who may use the API from now on. Until then only root may, over the Unix socket.
  void set_access(Access access) { context_.access = std::move(access); }

  /// From now on a drain of the governor is final.
  void leave() { context_.leaving = true; }

  /// From now on submits get 503 and the service is not ready; answers every wait.
  void stop();

  /// Requests answered since the start, by route and code.
  std::vector<ClientRequests> requests() const { return context_.counted; }

  /// Sends the current snapshot to the listeners of events; call it once a second.
  void tell_listeners() { watch_.tell_listeners(); }

  /// Whether the connection must stay open however long it is silent: a lease depends on it, or an
  /// executor uses it to see whether the daemon that has its cgroup still exists.
  bool keeps(http::ConnectionId connection) const;
  /// Ends whatever depended on a connection that has gone.
  void connection_closed(http::ConnectionId connection);

  /// All routes. They refer to this object.
  const std::vector<Route>& table() const { return table_; }

  Jobs& jobs() { return context_.jobs; }
  const Jobs& jobs() const { return context_.jobs; }

 private:
  RouteAnswer route(const http::Request& request, const Instant& instant, std::string& op);
  RouteAnswer route_safely(const http::Request& request, const Instant& instant, std::string& op);
  std::optional<ApiError> wrong_host(const http::Request& request) const;
  JobCallbacks job_callbacks(JobCallbacks callbacks);

  RouteContext context_;
  JobRoutes job_routes_{context_};
  JobserverRoutes jobserver_routes_{context_};
  WatchRoutes watch_{context_};
  OperateRoutes operate_{context_};
  std::vector<Route> table_;
};

}  // namespace sluice

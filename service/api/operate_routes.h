#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "service/api/route_context.h"

namespace sluice {

/// The routes by which operators and their programs run a daemon: switches, reload, health,
/// metrics, and the executor whose cgroup it takes over. Used on the service's thread.
class OperateRoutes {
 public:
  /// `context` outlives this, and this its routes.
  explicit OperateRoutes(RouteContext& context) : at_(context) {}

  std::vector<Route> routes();

  /// Whether an executor uses the connection to see whether the daemon that has its cgroup still
  /// exists.
  bool has_attached(http::ConnectionId connection) const { return attached_.contains(connection); }
  void connection_closed(http::ConnectionId connection) { attached_.erase(connection); }

 private:
  RouteAnswer pause(const RouteCall& call);
  RouteAnswer resume(const RouteCall& call);
  RouteAnswer pause_queue(const RouteCall& call);
  RouteAnswer resume_queue(const RouteCall& call);
  RouteAnswer drain(const RouteCall& call);
  RouteAnswer reload(const RouteCall& call);
  RouteAnswer attach(const RouteCall& call);
  RouteAnswer metrics(const RouteCall& call);
  RouteAnswer live(const RouteCall& call);
  RouteAnswer ready(const RouteCall& call);
  RouteAnswer accepting(const RouteCall& call);
  RouteAnswer operate(void (Governor::*act)(), std::string_view done);
  RouteAnswer operate_queue(bool (Governor::*act)(std::string_view), const RouteCall& call,
                            std::string_view done);

  RouteContext& at_;
  std::set<http::ConnectionId> attached_;  ///< Open connections that attached a cgroup.
};

}  // namespace sluice

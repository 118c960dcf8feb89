#pragma once

#include <string>
#include <vector>

#include "service/api/event_feed.h"
#include "service/api/route_context.h"

namespace sluice {

/// The routes by which people and the page observe a daemon. Used on the service's thread.
class WatchRoutes {
 public:
  /// `context` outlives this, and this its routes.
  explicit WatchRoutes(RouteContext& context);

  std::vector<Route> routes();

  /// Sends the current snapshot to the listeners of events; call it once a second.
  void tell_listeners() { feed_.tick(); }
  void connection_closed(http::ConnectionId connection);

 private:
  RouteAnswer status(const RouteCall& call);
  RouteAnswer timeline(const RouteCall& call);
  RouteAnswer record(const RouteCall& call);
  RouteAnswer build(const RouteCall& call);
  RouteAnswer fit(const RouteCall& call);
  RouteAnswer old_timeline(const RouteCall& call);
  RouteAnswer page(const RouteCall& call);
  RouteAnswer events(const RouteCall& call);
  std::string status_text() const;
  std::string overview_text() const;

  RouteContext& at_;
  EventFeed feed_;
};

}  // namespace sluice

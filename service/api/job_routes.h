#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "service/api/route_context.h"

namespace sluice {

/// The routes by which clients submit, follow, change and finish jobs. Used on the service's
/// thread.
class JobRoutes {
 public:
  /// `context` outlives this, and this its routes.
  explicit JobRoutes(RouteContext& context) : at_(context) {}

  std::vector<Route> routes();

  /// Sends and counts the answer to a request that waited.
  void answer_late(http::ConnectionId connection, DeferredRequest asked, int status,
                   const JobRecord& job);

 private:
  /// What an answer includes about a pending job besides its record.
  enum class Detail { refused, explained };

  RouteAnswer submit(const RouteCall& call);
  RouteAnswer list(const RouteCall& call);
  RouteAnswer show(const RouteCall& call);
  RouteAnswer show_fetched(const RouteCall& call);
  RouteAnswer change(const RouteCall& call);
  RouteAnswer started(const RouteCall& call);
  RouteAnswer heartbeat(const RouteCall& call);
  RouteAnswer finish(const RouteCall& call);
  /// Writes one job of a list, from its record or, for a job of a work source, from the governor's
  /// view. False, and nothing is written, for others.
  bool write_listed(JsonWriter& json, const JobView& view, const JobContext& shown) const;
  /// A job of a work source, by its submitter's name or by number.
  std::optional<JobId> find_fetched(const std::string& id) const;
  /// Why no client can change a job without a record.
  ApiError refuse_unrecorded(const std::string& id) const;
  std::optional<ApiError> refuse_leader(pid_t process, pid_t holder) const;
  http::Response job_response(int status, const JobRecord& job, const Instant& instant,
                              Detail detail = Detail::refused, Reader reader = Reader::observes);
  http::Response deduplicated(const JobRecord& job, const Instant& instant);

  RouteContext& at_;
};

}  // namespace sluice

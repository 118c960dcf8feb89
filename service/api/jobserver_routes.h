#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/api/jobserver_shares.h"
#include "service/api/route_context.h"
#include "service/jobserver/jobserver.h"

namespace sluice {

/// The routes by which clients open, follow and close jobservers. A jobserver belongs to the job
/// that needs no token: it lives as long as that job. Used on the service's thread.
class JobserverRoutes {
 public:
  /// `context` outlives this, and this its routes.
  explicit JobserverRoutes(RouteContext& context)
      : at_(context), shares_(context.callbacks.most_jobservers) {}

  std::vector<Route> routes();

  /// Lets the job's client get tokens once the job, which needs none, is admitted. Does nothing if
  /// the job has no jobserver.
  void begin(const JobRecord& job);
  /// Closes the jobserver of a job that has ended, if it has one.
  void close_of(const JobRecord& job);

 private:
  RouteAnswer open(const RouteCall& call);
  /// Why the client gets no fifo, judged before anything is queued; nullopt if it may get one or
  /// has it already.
  std::optional<ApiError> refuse_fifo(const Submit& submit, const jobserver::Request& client,
                                      const RouteCall& call);
  RouteAnswer list(const RouteCall& call);
  RouteAnswer show(const RouteCall& call);
  RouteAnswer close(const RouteCall& call);
  RouteAnswer open_of(const Jobs::Submitted& submitted, const jobserver::Request& client,
                      const std::string& key, const RouteCall& call);
  /// The job's client in lines of the log.
  std::string called(const JobRecord& job) const;
  std::optional<Refusal> refusal_of(const JobRecord& job);
  http::Response response_of(int status, const JobRecord& job, const Instant& instant,
                             Reader reader = Reader::observes);

  RouteContext& at_;
  JobserverShares shares_;
  std::pair<JobId, jobserver::End> closed_;  ///< The one closed last.
};

}  // namespace sluice

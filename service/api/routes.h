#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/service_facts.h"
#include "service/access/access.h"
#include "service/api/event_feed.h"
#include "service/api/route_links.h"
#include "service/api/view_job.h"
#include "service/http/http.h"
#include "service/jobs/jobs.h"
#include "service/jobserver/jobserver.h"
#include "service/protocol/api_error.h"
#include "sluice/governor.h"

namespace sluice {

/// The API: turns a request into its answer, without sockets and clocks of its own. Used on the
/// service's thread.
class Routes {
 public:
  using Links = RouteLinks;

  Routes(Governor& governor, Links links);

  /// Returns the answer, or nullopt if `reply` will send it later. An exception in a route becomes
  /// a 500; the accounts are then as before, or the submitted job has ended.
  std::optional<Response> handle(const Request& request, const Instant& instant);

  /// Sets who may use the API from now on. Until then only root may, over the Unix socket.
  void set_access(Access access) { access_ = std::move(access); }

  /// From now on a drain of the governor is final.
  void leave() { leaving_ = true; }

  /// From now on submits get 503 and the service is not ready; answers every wait.
  void stop();

  /// Requests answered since the start, by route and code.
  std::vector<ClientRequests> requests() const { return counted_; }

  /// Sends the current snapshot to the listeners of events; call it once a second.
  void tell_listeners() { feed_.tick(); }

  /// Whether the connection must stay open however long it is silent: a lease depends on it, or an
  /// executor uses it to see whether the daemon that has its cgroup still exists.
  bool keeps(ConnectionId connection) const;
  /// Ends whatever depended on a connection that has gone.
  void connection_closed(ConnectionId connection);

  Jobs& jobs() { return jobs_; }
  const Jobs& jobs() const { return jobs_; }

 private:
  friend struct RouteTable;
  struct Call;  // A request with its route, path and query taken apart.
  using Answer = std::variant<Response, ApiError, std::monostate>;

  Answer route(const Request& request, const Instant& instant, std::string& op);
  Answer route_safely(const Request& request, const Instant& instant, std::string& op);
  /// Builds the answer to a submit; if that fails, the submit fails.
  template <typename Work>
  Answer answer_or_end(const Jobs::Submitted& submitted, Work&& work);
  std::optional<ApiError> wrong_host(const Request& request) const;
  std::optional<ApiError> refuse_submit(const Submit& submit, const Call& call) const;
  std::optional<ApiError> refuse_leader(pid_t process, pid_t holder) const;
  Answer submit(const Call& call);
  Answer list(const Call& call);
  Answer show(const Call& call);
  Answer started(const Call& call);
  Answer heartbeat(const Call& call);
  Answer finish(const Call& call);
  Answer change(const Call& call);
  Answer pause_queue(const Call& call);
  Answer resume_queue(const Call& call);
  Answer show_status(const Call& call);
  Answer timeline(const Call& call);
  Answer old_timeline(const Call& call);
  Answer events(const Call& call);
  Answer page(const Call& call);
  Answer pause(const Call& call);
  Answer resume(const Call& call);
  Answer drain(const Call& call);
  Answer reload(const Call& call);
  Answer attach(const Call& call);
  Answer metrics(const Call& call);
  Answer open_jobserver(const Call& call);
  Answer list_jobservers(const Call& call);
  Answer show_jobserver(const Call& call);
  Answer close_jobserver(const Call& call);
  Answer live(const Call& call);
  Answer ready(const Call& call);
  Answer accepting(const Call& call);

  /// What an answer includes about a pending job besides its record.
  enum class Detail { refused, explained };
  /// Whether the answer goes to a client that may change the job, and so may have its permit's
  /// token.
  enum class Reader { tends, observes };
  Response job_response(int status, const JobRecord& job, const Instant& instant,
                        Detail detail = Detail::refused, Reader reader = Reader::observes);
  Response deduplicated(const JobRecord& job, const Instant& instant);
  Answer open_jobserver_of(const Jobs::Submitted& submitted, const JobserverRequest& client,
                           const std::string& key, const Call& call);
  void begin_jobserver(const JobRecord& job);
  void close_jobserver_of(const JobRecord& job);
  std::optional<Refusal> refusal_of(const JobRecord& job);
  Response jobserver_response(int status, const JobRecord& job, const Instant& instant,
                              Reader reader = Reader::observes);
  Jobs::Links job_links();
  EventFeed::Links feed_links();
  std::string status_text() const;
  std::string overview_text() const;
  JobContext context(const Instant& instant) const;
  JobNames names() const;
  Answer operated_queue(const Call& call, std::string_view what);
  Response switches() const;
  void answer_late(ConnectionId connection, Asked asked, int status, const JobRecord& job);
  void count(const std::string& op, int code);

  Governor& governor_;
  Links links_;
  Access access_;
  Jobs jobs_;
  EventFeed feed_;
  std::set<ConnectionId> attached_;  ///< Open connections that attached a cgroup.
  bool leaving_ = false, stopping_ = false;
  std::vector<ClientRequests> counted_;
  std::pair<JobId, JobserverEnd> closed_jobserver_;  ///< The one closed last.
};

}  // namespace sluice

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/non_copyable.h"
#include "service/http/http.h"
#include "service/jobs/job_callbacks.h"
#include "service/jobs/job_keeping.h"
#include "service/jobs/job_record.h"
#include "service/jobs/job_store.h"
#include "service/jobs/job_usages.h"
#include "service/jobs/known_jobs.h"
#include "service/jobs/leases.h"
#include "service/jobs/parent_jobs.h"
#include "service/protocol/change.h"
#include "service/protocol/submit.h"
#include "sluice/governor.h"

namespace sluice {

/// The jobs of other processes: submits them to the governor, holds their permits, and ends each
/// exactly once, by whatever its lease depends on. Call everything on one thread, the service's;
/// only the hand-over comes on others.
class Jobs : NonCopyable {
 public:
  using Callbacks = JobCallbacks;
  using Restart = JobKeeping::Restart;

  Jobs(Governor& governor, Callbacks callbacks)
      : governor_(governor),
        callbacks_(std::move(callbacks)),
        known_(callbacks_.most_declared_bytes, callbacks_.most_job_bytes) {}

  /// The job: it was added now, existed before under the client's id, or is a pending one that
  /// stands in for this one (a highlander). If no client can learn of that pending job, such as a
  /// token's, the submit fails with "deduplicated".
  struct Submitted {
    enum class How { added, existed, deduplicated };
    const JobRecord* job;
    How how = How::added;
  };
  std::variant<Submitted, ApiError> submit(Submit submit, http::ConnectionId connection,
                                           const http::Peer& peer, TimePoint now);

  /// Releases memory after a load peak: most ended jobs are forgotten.
  void release_memory();

  /// By number, in no order; also the ended ones that are remembered.
  const KnownJobs::Records& all() const { return known_.all(); }
  /// Number of known jobs, including ended ones that are remembered.
  std::size_t size() const { return known_.all().size(); }

  /// See `ParentJobs::permit_token_of`.
  std::string permit_token_of(const JobRecord& job) const { return parents_.permit_token_of(job); }

  /// Finds a job by the client's id, or by number; nullptr if there is none.
  const JobRecord* find(std::string_view id) const { return known_.find(id); }
  const JobRecord* find(JobId number) const { return known_.find(number); }
  /// The client's id, or else the number.
  std::string name_of(JobId number) const { return known_.name_of(number); }

  /// What the jobs use, and what is learned from it.
  JobUsages& usages() { return usages_; }
  const JobUsages& usages() const { return usages_; }

  /// The governor's view of a job; nullopt if it has ended. Copies what the governor adds to a
  /// request into the job's record, which outlives that view.
  std::optional<JobView> view_of(JobId number);
  /// The same with everything that decides about the job.
  std::optional<Explanation> explain(JobId number);

  /// Changes a job that has not ended: all of it, or nothing and the reason.
  std::optional<ApiError> change(const JobRecord& job, Change change);

  /// Whether waiting renews the job's lease.
  enum class LeaseEffect { keeps_alive, observes };

  /// Has `answer` called with this status once the job no longer pends, or at `until`.
  void wait(JobId job, http::ConnectionId connection, DeferredRequest asked, int status,
            TimePoint until, LeaseEffect lease_effect = LeaseEffect::keeps_alive);

  /// False if the job is not running.
  bool started(JobId job, TimePoint now);
  /// Names the process of a running job's command; the daemon sees that process.
  void measure_below(JobId job, pid_t process);
  bool renew(JobId job, TimePoint now);

  /// Takes back the stored jobs, and stores all jobs from now on. Call it once, before the first
  /// submit. Throws NewerState.
  Restart attach_store(std::unique_ptr<JobStore> store, TimePoint now);
  /// Call about once a second: stores signs of life, retries a failing store, and tries again to
  /// watch processes that could not be watched.
  void flush(TimePoint now);
  /// nullptr if jobs are kept in memory only.
  const JobStore* store() const { return keeping_.store(); }

  /// Ends a job; false if it had already ended.
  bool end(JobId job, LeaseEnd cause, Outcome outcome);

  /// The governor has decided about a job: gives it its permit, or ends it.
  void admitted(JobId job, Admission admission, TimePoint now);
  void connection_closed(http::ConnectionId connection);
  void process_ended(JobId job);
  /// Answers waits whose time is up and ends expired leases that no waiting client keeps alive.
  void tick(TimePoint now);
  /// Ends every wait and every job. With a working store it ends only the waits: the jobs continue
  /// with the next daemon.
  void stop();

  /// When `tick` is due at the latest.
  std::optional<TimePoint> next_deadline() const;

  const Leases& leases() const { return leases_; }

 private:
  struct Waiter {
    JobId job;
    DeferredRequest asked = DeferredRequest::show;
    int status = 200;
    TimePoint until;
    LeaseEffect lease_effect = LeaseEffect::keeps_alive;
  };

  std::variant<Submitted, ApiError> start(Submit submit, LeaseTerms terms, pid_t peer,
                                          TimePoint now);
  std::optional<ApiError> resolve_after(Submit& submit) const;
  ApiError refuse(const Refusal& refusal, const JobRequest& request) const;
  JobRecord& add(JobId number, Submit submit, Points cost, TimePoint now);
  Outcome outcome_of_lost(const JobRecord& job, Outcome otherwise) const;
  /// Runs one step of a job's end: an exception in it stops none of the others.
  template <typename Work>
  void contain(const char* what, Work&& work);
  void leave(const Waiter& waiter);
  void answer_waiters(const JobRecord& job);
  void answer(http::ConnectionId connection);

  Governor& governor_;
  const Callbacks callbacks_;
  KnownJobs known_;
  Leases leases_;
  ParentJobs parents_{callbacks_, known_, leases_};
  JobUsages usages_{callbacks_, known_};
  JobKeeping keeping_{governor_, callbacks_, known_, leases_, usages_};
  std::map<http::ConnectionId, Waiter> waiters_;
  std::set<std::pair<TimePoint, http::ConnectionId>> wait_ends_;
};

}  // namespace sluice

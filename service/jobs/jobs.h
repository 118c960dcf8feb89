#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "costmodel/fit.h"
#include "service/http/http.h"
#include "service/jobs/job_links.h"
#include "service/jobs/job_record.h"
#include "service/jobs/leases.h"
#include "service/jobs/permit_tokens.h"
#include "service/jobs/remote_brake.h"
#include "service/protocol/change.h"
#include "service/protocol/submit.h"
#include "sluice/governor.h"
#include "sluice/usage.h"

namespace sluice {

class History;
class JobStore;
struct StoredJob;
struct StoredState;

/// Ended jobs to remember, for clients that missed an answer.
inline constexpr std::size_t kRememberedJobs = 1024;

/// Ended jobs to remember after a load peak: each lies among memory that the others held, and pins
/// a page of it.
inline constexpr std::size_t kRememberedAfterCrowd = 64;

/// The longest chain of running jobs in which each is a child of the one before.
inline constexpr std::size_t kMostNested = 100;

/// The jobs of other processes: submits them to the governor, holds their permits, and ends each
/// exactly once, by whatever its lease depends on. Call everything on one thread, the service's;
/// only the hand-over comes on others.
class Jobs {
 public:
  using Links = JobLinks;

  Jobs(Governor& governor, Links links);
  ~Jobs();

  /// The job: it was added now, existed before under the client's id, or is a pending one that
  /// stands in for this one (a highlander). If no client can learn of that pending job, such as a
  /// token's, the submit fails with "deduplicated".
  struct Submitted {
    enum class How { added, existed, deduplicated };
    const JobRecord* job;
    How how = How::added;
  };
  std::variant<Submitted, ApiError> submit(Submit submit, ConnectionId connection, const Peer& peer,
                                           TimePoint now);

  /// Releases memory after a load peak: most ended jobs are forgotten.
  void release_memory();

  /// Number of known jobs, including ended ones that are remembered.
  std::size_t size() const { return jobs_.size(); }

  /// Token that proves that a command works on the job's permit; empty if the job came over TCP or
  /// has ended.
  std::string permit_of(const JobRecord& job) const;
  /// Memory reserved for a job: what it declares, else the expected mean plus its margin; nullopt
  /// if neither is known.
  std::optional<Bytes> memory_kept_for(const JobRecord& job) const;
  /// How many jobs like this one fit now, beside those of `status`, and what each is expected to
  /// need.
  std::pair<Fit, Prediction> fit(const JobRequest& job, const Status& status) const;

  /// Finds a job by the client's id, or by number; nullptr if there is none.
  const JobRecord* find(std::string_view id) const;
  const JobRecord* find(JobId number) const;
  /// The client's id, or else the number.
  std::string name_of(JobId number) const;

  /// The governor's view of a job; nullopt if it has ended. Copies what the governor adds to a
  /// request into the job's record, which outlives that view.
  std::optional<JobView> view_of(JobId number);
  /// The same with everything that decides about the job.
  std::optional<Explanation> explain(JobId number);

  /// Changes a job that has not ended: all of it, or nothing and the reason.
  std::optional<ApiError> change(const JobRecord& job, Change change);

  /// Whether waiting renews the job's lease.
  enum class Patience { keeps_alive, observes };

  /// Has `answer` called with this status once the job no longer pends, or at `until`.
  void wait(JobId job, ConnectionId connection, Asked asked, int status, TimePoint until,
            Patience patience = Patience::keeps_alive);

  /// False if the job is not running.
  bool started(JobId job, TimePoint now);
  /// Names the process of a running job's command; the daemon sees that process.
  void measure_below(JobId job, pid_t process);
  bool renew(JobId job, TimePoint now);
  /// Takes what a running job has used so far; false if it is not running.
  bool measured(JobId job, JobUsage usage, TimePoint now);
  /// Measures the running jobs whose holders have not reported for a while, as far as their
  /// processes can be seen: what a job is charged must not depend on what its holder says.
  void measure_silent(TimePoint now);
  /// Why a running job is suspended; nullptr if it is not.
  const Suspension* suspension(JobId job) const { return brake_.suspension(job); }

  /// Sets the history that jobs teach from now on; null stops learning.
  void learn_with(std::shared_ptr<History> history) { history_ = std::move(history); }
  /// Sets how memory is reserved for jobs from now on. `brake`: the memory that the brake monitors;
  /// empty if it is off.
  void keep_memory(const ReservationOptions& options, MemoryMeter brake);

  /// What a previous daemon left: running jobs that continue, jobs that are gone, and jobs that
  /// still pend. `lines` describes the first hundred that are gone.
  struct Restart {
    std::size_t adopted = 0, released = 0, restored = 0;
    std::vector<std::string> lines;
  };
  /// Takes back the stored jobs, and stores all jobs from now on. Call it once, before the first
  /// submit. Throws NewerState.
  Restart keep_in(std::unique_ptr<JobStore> store, TimePoint now);
  /// Call about once a second: stores signs of life, retries a failing store, and tries again to
  /// watch processes that could not be watched.
  void keep(TimePoint now);
  /// nullptr if jobs are kept in memory only.
  const JobStore* store() const { return store_.get(); }

  /// Ends a job; false if it had already ended.
  bool end(JobId job, LeaseEnd cause, Outcome outcome);

  /// Passes what a running job holds to its permit; the caller learns from it in another way.
  void charge(JobId job, const JobUsage& usage);

  void admitted(JobId job, Admission admission, TimePoint now);
  void connection_closed(ConnectionId connection);
  void process_ended(JobId job);
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
    Asked asked = Asked::show;
    int status = 200;
    TimePoint until;
    Patience patience = Patience::keeps_alive;
  };

  std::variant<Submitted, ApiError> start(Submit submit, LeaseTerms terms, pid_t peer,
                                          TimePoint now);
  std::optional<ApiError> resolve_after(Submit& submit) const;
  // The parent job (nesting.cpp):
  JobId parent_of(const Submit& submit, const Peer& peer) const;
  JobId told_parent(const std::string& token, std::optional<uid_t> user) const;
  JobId witnessed_parent(const Peer& peer) const;
  JobId seen_parent(const Peer& peer) const;
  bool is_running(JobId job) const;
  std::size_t depth_of(JobId job) const;
  bool is_below(JobId job, JobId parent) const;
  JobUsage without_children(const JobRecord& job, JobUsage usage) const;
  void note_own_memory(JobRecord& job, Bytes before);
  void note_child(const JobRecord& child);
  ApiError refuse(const Refusal& refusal, const JobRequest& request) const;
  JobRecord& add(JobId number, Submit submit, Points cost, TimePoint now);
  void predict(JobRecord& job) const;
  void learn(const JobRecord& job, LeaseEnd cause);
  void begin_holder(JobRecord& job, pid_t process) const;
  Outcome outcome_of_lost(const JobRecord& job, Outcome otherwise) const;
  bool may_raise_expectations(const JobRecord& job) const;
  JobUsage believable(const JobRecord& job, const JobUsage& usage, TimePoint now) const;
  std::optional<std::uint64_t> kills_since(const JobRecord& job) const;
  void brake(const JobRecord& job, const JobUsage& usage, TimePoint now);
  // Jobs that outlive the daemon (state.cpp):
  void save(JobRecord& job);
  void save_again(JobRecord& job);
  void save_changed(JobId job);
  StoredJob stored_of(const JobRecord& job) const;
  std::vector<StoredJob> all_stored() const;
  void unsave(const JobRecord& job, LeaseEnd cause);
  /// Takes back one job; returns what has ended it meanwhile, if anything.
  std::optional<LeaseEnd> take_back(const StoredJob& stored, Restored restored,
                                    const StoredState& state, TimePoint now);
  std::optional<LeaseEnd> watch_again(JobId job, pid_t process, std::uint64_t started);
  void keep_renewals();
  void watch_unwatched();
  /// An admitted job whose process is watched is charged from now on.
  void begin_cpu(const JobRecord& job, TimePoint now);

  /// Runs one step of a job's end: an exception in it stops none of the others.
  template <typename Work>
  void contain(const char* what, Work&& work);
  void leave(const Waiter& waiter);
  void answer_waiters(const JobRecord& job);
  void answer(ConnectionId connection);
  /// Forgets ended jobs to make room for `bytes` more of declarations; returns why they are not
  /// accepted.
  std::optional<ApiError> make_room(std::size_t bytes);
  void forget_all_but(std::size_t ended);
  void forget_oldest();

  Governor& governor_;
  Links links_;
  std::shared_ptr<History> history_;
  ReservationOptions reservation_;
  RemoteBrake brake_;
  std::unordered_map<std::uint64_t, JobRecord> jobs_;
  std::unordered_map<std::string, JobId> by_id_;
  std::deque<JobId> ended_;
  std::size_t declared_bytes_ = 0;
  Leases leases_;
  PermitTokens tokens_;
  std::map<ConnectionId, Waiter> waiters_;
  std::set<std::pair<TimePoint, ConnectionId>> wait_ends_;
  std::unique_ptr<JobStore> store_;
  std::unordered_set<std::uint64_t> renewed_;  ///< Jobs with signs of life that are not stored yet.
  std::set<JobId> unwatched_;                  ///< Jobs whose live process could not be watched.
  std::optional<TimePoint> retry_store_;
  std::optional<std::uint64_t> kills_;  ///< The kernel's count, as of the last `keep`.
  bool stopped_ = false;
};

}  // namespace sluice

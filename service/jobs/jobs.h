#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "service/http/http.h"
#include "service/jobs/faults.h"
#include "service/jobs/job_brake.h"
#include "service/jobs/leases.h"
#include "service/jobs/lost_connection.h"
#include "service/jobs/most_used.h"
#include "service/jobs/permit_tokens.h"
#include "service/jobs/permit_witness.h"
#include "service/protocol/change.h"
#include "service/protocol/submit.h"
#include "sluice/governor.h"
#include "sluice/usage.h"

namespace sluice {

class History;
class JobStore;
struct StoredJob;
struct StoredState;

/// Ended jobs that are remembered, for clients that missed an answer.
inline constexpr std::size_t kRememberedJobs = 1024;

/// Of these, once a crowd has gone: each lies among what the others held, and keeps a page of it.
inline constexpr std::size_t kRememberedAfterCrowd = 64;

/// The longest chain of running jobs that are each the child of the one before.
inline constexpr std::size_t kMostNested = 100;

/// Most bytes of declarations of all jobs that are known: 2.6 KB for each of 100000.
inline constexpr std::size_t kMostDeclaredBytes = std::size_t{256} << 20;

/// The request that a held back answer is for.
enum class Asked { submit, show };

/// Follows the process that holds a job, by its lease or by a connection, for how it may have ended
/// where nobody says. Each may be empty: nothing is known then.
struct HolderWatch {
  std::function<void(JobId, pid_t)> begin;
  std::function<void(JobId)> over;
  /// What can be known just after its connection or process has ended.
  std::function<LostHolder(JobId, pid_t)> lost;
};

/// A job that came over the API, from its submit until it is forgotten.
struct JobRecord {
  JobId number;
  std::string id;              ///< The client's; may be empty.
  std::optional<uid_t> owner;  ///< Whose it is, see `JobOwner`.
  JobRequest request;
  Points cost;
  TimePoint arrived;
  std::optional<TimePoint> admitted;
  bool starting = false;
  Permit permit;                     ///< Holds the points while the job runs.
  std::optional<LeaseEnd> ended_by;  ///< None while it pends or runs.
  Outcome outcome = Outcome::ok;     ///< Of an ended one.
  std::optional<Refusal> refusal;    ///< What ended the wait of a `refused` one.
  std::size_t waiters = 0;           ///< Requests that wait for its admission,
  std::size_t keepers = 0;           ///< and of these, those that keep it alive.
  /// As its holder reported last, as far as that can be true; its memory by the kernel's word where
  /// the source says so, but for the peak, which the daemon may have missed.
  std::optional<JobUsage> usage;
  std::optional<TimePoint> last_use;            ///< When it reported that.
  Bytes seen_peak;                              ///< The most that the daemon itself saw it hold.
  std::optional<std::uint64_t> kills_before;    ///< By the kernel, before it was admitted.
  Duration children_cpu{0}, children_delay{0};  ///< What children used that are over.
  bool had_children = false;
  Bytes children_memory;  ///< What those that run hold.
  /// The most memory that it held without its children; none: nothing was measured.
  std::optional<Bytes> own_peak;
  /// What it was expected to need when it was submitted and, where it runs, admitted; none where
  /// nothing is learned.
  std::optional<Prediction> prediction;
  EnforcedLimits limits;  ///< Of a running one.
  JobOrder order;         ///< Of a pending one; with `frozen` as far as a store needs to know.
  bool frozen = false;
  bool held = false;  ///< Its lease hangs, or hung, on a connection: who holds it tells its end.
  pid_t holder = 0;   ///< Its process, or that which holds its connection; 0: nobody can tell.
  bool kept = false;  ///< In the store.
  bool leader_named = false;          ///< Its holder said which process its command is.
  std::uint64_t process_started = 0;  ///< Of a kept one: tells its process from a later one.
  std::size_t submitted_bytes = 0, changed_bytes = 0;  ///< Of its submit, of its largest change.

  std::string_view state() const {
    return ended_by ? "finished" : admitted ? "running" : "pending";
  }
};

/// The jobs of other processes: submits them to the governor, holds their permits, and ends each
/// exactly once by whatever its lease hangs on. Everything but the hand-over is called on one
/// thread, the service's.
class Jobs {
 public:
  /// The outside world. `hand_over` is called on any thread and must have `admitted` called on the
  /// service's. `unwatchable` says why a process could not be watched; `watch` starts to watch it
  /// and says what is wrong if it cannot; the end of the process must reach `process_ended`.
  /// `unwatch` is told of every watched or measured job that ended.
  /// `answer` is told that a wait is over: the job no longer pends, or the time is up.
  struct Links {
    OnAdmission hand_over;
    std::function<std::optional<std::string>(pid_t)> unwatchable;
    std::function<std::optional<std::string>(JobId, pid_t)> watch;
    std::function<void(JobId)> unwatch;
    std::function<void(ConnectionId, Asked, int status, const JobRecord&)> answer;
    std::function<void(const JobRecord&)> began, over;  ///< Told of each job's; may be empty.
    /// Told what the brake has decided about a job; may be empty.
    std::function<void(const JobRecord&, const BrakeAction&)> braked;
    /// When a process began, in clock ticks since boot; 0: it is not there. Only for kept jobs.
    std::function<std::uint64_t(pid_t)> process_started = {};
    std::size_t most_declared_bytes = kMostDeclaredBytes;
    Faults* faults = nullptr;  ///< Outlives the jobs; null: what fails in an end is not told.
    /// What the kernel says that the processes of a watched job hold; empty, or none: it cannot be
    /// seen.
    std::function<std::optional<Bytes>(JobId, TimePoint)> held = {};
    /// Processes that the kernel has killed for lack of memory; empty, or none: it does not say.
    std::function<std::optional<std::uint64_t>()> oom_kills = {};
    MostUsed most_used = {};  ///< Cores and memory of this machine.
    /// The parent of a process, its parent and so on, nearest first; empty: nobody can tell.
    std::function<std::vector<pid_t>(pid_t)> ancestors_of = {};
    /// From now on what this process and those below it hold is what the job holds; may be empty.
    std::function<void(JobId, pid_t)> measure_below = {};
    HolderWatch holders = {};
    PermitWitnesses witnesses = {};
  };

  Jobs(Governor& governor, Links links);
  ~Jobs();

  /// A job that was submitted now, was there before under the client's id, or waits already in the
  /// place of this one (a highlander). One that waits for nobody who may hear of it, such as a
  /// token's, is an error, "deduplicated".
  struct Submitted {
    enum class How { added, existed, deduplicated };
    const JobRecord* job;
    How how = How::added;
  };
  std::variant<Submitted, ApiError> submit(Submit submit, ConnectionId connection, const Peer& peer,
                                           TimePoint now);

  /// Gives back what a crowd took that has gone: most ended jobs are forgotten.
  void release_memory();

  /// How many are known, ended ones that are remembered included.
  std::size_t size() const { return jobs_.size(); }

  /// What proves that a command works on the permit of the job; empty: it came over TCP, or is
  /// over.
  std::string permit_of(const JobRecord& job) const;
  /// What is kept of memory for a job: the mean that is expected and its margin; none: nothing is.
  std::optional<Bytes> memory_kept_for(const JobRecord& job) const;

  /// By the client's id, or by number; null if there is none.
  const JobRecord* find(std::string_view id) const;
  const JobRecord* find(JobId number) const;
  /// The client's id, else the number.
  std::string name_of(JobId number) const;

  /// The governor's view of a job; none if it is over. What the governor adds to a request is
  /// noted in the job's record, which outlives that view.
  std::optional<JobView> look(JobId number);
  /// The same with everything that decides about it.
  std::optional<Explanation> explain(JobId number);

  /// Changes a job that is not over: all of it, or nothing and why.
  std::optional<ApiError> change(const JobRecord& job, Change change);

  /// Whether who waits for a job is who may keep it alive by that.
  enum class Patience { keeps_alive, looks_on };

  /// Has `answer` called with this status once the job no longer pends, or at `until`.
  void wait(JobId job, ConnectionId connection, Asked asked, int status, TimePoint until,
            Patience patience = Patience::keeps_alive);

  /// False if the job is not running, or is over.
  bool started(JobId job, TimePoint now);
  /// A running job's command is this process, which the daemon sees.
  void measure_below(JobId job, pid_t process);
  bool renew(JobId job, TimePoint now);
  /// What a running job has used so far; false if it is not running.
  bool measured(JobId job, JobUsage usage, TimePoint now);
  /// Why a running job is to stand still; null: it is not.
  const Suspension* suspension(JobId job) const { return brake_.suspension(job); }

  /// What jobs teach from here on; null: nothing is learned.
  void learn_with(std::shared_ptr<History> history) { history_ = std::move(history); }
  /// How memory is kept for them from here on. `brake`: what the brake watches; empty: it is off.
  void keep_memory(const ReservationOptions& options, MemoryMeter brake);

  /// What came back of an earlier life: running jobs that go on, jobs that were gone, and jobs
  /// that wait on. `lines` tell people of the first hundred that were gone.
  struct Restart {
    std::size_t adopted = 0, released = 0, restored = 0;
    std::vector<std::string> lines;
  };
  /// Takes back what the store has kept, and keeps all jobs in it from here on. To be called once,
  /// before the first submit. Throws NewerState.
  Restart keep_in(std::unique_ptr<JobStore> store, TimePoint now);
  /// Once a second or so: keeps signs of life, tries a failing store again, and to watch processes
  /// that could not be watched.
  void keep(TimePoint now);
  /// Null: jobs are known in memory only.
  const JobStore* store() const { return store_.get(); }

  /// Ends a job; false if it was over already.
  bool end(JobId job, LeaseEnd cause, Outcome outcome);

  /// What a running job holds, where somebody watches it who learns from it in another way.
  void charge(JobId job, const JobUsage& usage);

  void admitted(JobId job, Admission admission, TimePoint now);
  void connection_closed(ConnectionId connection);
  void process_ended(JobId job);
  void tick(TimePoint now);
  /// Ends every wait and every job; where a store keeps them, every wait only: they go on with the
  /// next daemon.
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
  // On whose permit a job works (nesting.cpp):
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
  /// Takes back one job; what has ended it meanwhile, if anything.
  std::optional<LeaseEnd> take_back(const StoredJob& stored, Restored restored,
                                    const StoredState& state, TimePoint now);
  std::optional<LeaseEnd> watch_again(JobId job, pid_t process, std::uint64_t started);
  void keep_renewals();
  void watch_unwatched();

  /// One part of a job's end: what it throws stops none of the others.
  template <typename Work>
  void contain(const char* what, Work&& work);
  void leave(const Waiter& waiter);
  void answer_waiters(const JobRecord& job);
  void answer(ConnectionId connection);
  /// Why so many bytes more of declarations are not taken; to make room, ended jobs are forgotten.
  std::optional<ApiError> make_room(std::size_t bytes);
  void forget_all_but(std::size_t ended);
  void forget_oldest();

  Governor& governor_;
  Links links_;
  std::shared_ptr<History> history_;
  ReservationOptions reservation_;
  JobBrake brake_;
  std::unordered_map<std::uint64_t, JobRecord> jobs_;
  std::unordered_map<std::string, JobId> by_id_;
  std::deque<JobId> ended_;
  std::size_t declared_bytes_ = 0;
  Leases leases_;
  PermitTokens tokens_;
  std::map<ConnectionId, Waiter> waiters_;
  std::set<std::pair<TimePoint, ConnectionId>> wait_ends_;
  std::unique_ptr<JobStore> store_;
  std::unordered_set<std::uint64_t> renewed_;  ///< Jobs with signs of life that are not kept yet.
  std::set<JobId> unwatched_;  ///< Jobs whose process lives, but could not be watched.
  std::optional<TimePoint> retry_store_;
  std::optional<std::uint64_t> kills_;  ///< Of the kernel, as `keep` saw them last.
  bool stopped_ = false;
};

}  // namespace sluice

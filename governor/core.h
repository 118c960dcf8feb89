#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "governor/admission.h"
#include "governor/contention.h"
#include "governor/failed_jobs.h"
#include "governor/interned.h"
#include "governor/lock_reservations.h"
#include "governor/pending_queue.h"
#include "governor/permit_tree.h"
#include "governor/rate_limits.h"
#include "governor/registration.h"
#include "governor/reservation.h"
#include "governor/resources.h"
#include "governor/sensor_state.h"
#include "governor/window.h"
#include "sluice/explanation.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"

namespace sluice {

/// A job that was just admitted; `slot` identifies it when its points are returned.
struct Admitted {
  JobId id;
  Points cost;
  std::uint32_t slot = 0;
  std::vector<HeldItems> items;
};

/// A pass's decision about one job.
struct Decision {
  JobId job;
  std::optional<Refusal> refusal;  ///< nullopt if admitted.
  Points cost, usage, size;        ///< At that time; `usage` includes the cost of an admitted job.
  double weight = 0;               ///< The job's weight when it was considered.
  std::vector<HeldItems> items;    ///< Of an admitted job.
  std::vector<JobId> conflicts;    ///< Running jobs that an admitted job will certainly block on.
};

/// A pending job whose wait ended without admission: cancelled by a dependency or a rule.
struct Ended {
  JobId job;
  Refusal refusal;
};

/// A sensor as the core knows it: its name, its policy and its state.
struct KnownSensor {
  std::string_view name;  ///< Interned by the caller; outlives the core.
  SensorPolicy policy;
  SensorState sensor_state;
  Duration read_duration{0};
};

/// The governor without its threads: running and pending jobs, the window and the switches. Events
/// go in with the time they happen at, decisions come out; the same events give the same decisions,
/// on a real or a virtual clock. Not thread-safe.
class Core {
 public:
  /// The binding if a job would block on everything.
  static constexpr std::string_view kGlobalLock = "global_lock";

  Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
       TimePoint now);

  /// Admits at once or returns the reason it cannot; never overtakes. Does not allocate below the
  /// highest number of jobs that have run at once.
  std::variant<Admitted, Refusal> try_admit(const JobRequest& job, TimePoint now);
  /// Queues the job; the next `pass` may admit it. `id`: the number that `expect` returned for it.
  std::variant<Queued, Refusal> submit(JobRequest job, TimePoint now,
                                       std::optional<JobId> id = std::nullopt);
  /// Admits at once if `try_admit` would, else queues the job if it may wait. A queued job counts
  /// as submitted, not as rejected.
  std::variant<Admitted, Queued, Refusal> admit_or_queue(JobRequest job, TimePoint now);
  /// Reserves a number for a job that will be submitted later, so that other jobs can wait for it.
  JobId expect();
  /// The expected job will not come: jobs that wait for it continue as if it had been cancelled.
  void give_up(JobId expected);
  bool cancel(JobId id);
  /// As `Governor::restore`; the core must have no jobs.
  using RestoreResult = std::variant<Admitted, Queued, Refusal>;
  std::vector<RestoreResult> restore(GovernorSnapshot life, TimePoint now);
  JobRequest completed(JobRequest job) const;
  std::optional<BadRequest> check(const JobRequest& job) const;
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now);
  /// `position` is `paused` or `running`. False if there is no such queue.
  bool operate_queue(std::string_view queue, Switch position);
  /// Jobs whose waits ended by themselves since the last call, in that order.
  std::vector<Ended> take_ended();
  bool has_ended() const { return !ended_.empty(); }
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now);
  void started(std::uint32_t slot);
  /// Memory held now by a running job's processes.
  void measured(std::uint32_t slot, const JobUsage& usage, TimePoint now);
  /// New readings of the memory limits.
  void observe_memory(std::vector<MemoryLimit> limits);
  /// Only `running` ends draining; a draining governor is already paused.
  void operate(Switch position);

  /// Starts every pending job that may start, in order: passes of tours until one admits nothing.
  /// `decisions` also receives every job considered but not started, whenever the code or binding
  /// of its refusal differs from the last one reported.
  std::vector<Admitted> pass(TimePoint now, std::vector<Decision>* decisions = nullptr);

  /// The next time after `now` at which a pending job's age reaches another tick; nullopt if never.
  std::optional<TimePoint> next_boundary(TimePoint now) const;

  /// One sweep of the sensors, in their order. Returns the names of those that turned red or green,
  /// failed or recovered.
  struct Sweep {
    Measurement measurement;
    Duration took{0};
  };
  std::vector<std::string_view> observe(const std::vector<Sweep>& sweep, TimePoint now);

  /// Runs the control law once.
  std::optional<WindowChange> adjust_window(TimePoint now);

  /// Whether to announce that work is accepted, or no longer accepted.
  RegistrationStep check_registration(TimePoint now);

  /// Why `reload` must not be called with these: a queue, manager or lock level that a job still
  /// needs would disappear; nullopt if it may.
  std::optional<BadRequest> check_reload(const QueueingOptions& options) const;

  /// Replaces options, sensors and cost model; a sensor whose name stays keeps its state.
  std::optional<WindowChange> reload(GovernorOptions options, CostModel cost_model,
                                     std::vector<KnownSensor> sensors, TimePoint now);

  /// Why nothing is admitted, and why no work should be sent; nullopt if there is no reason.
  std::optional<Refusal> why_closed() const { return closed(room()); }
  std::optional<Refusal> why_full() const { return full(room()); }

  /// The first pending job in line that may start: the highest priority, then the order of the
  /// queues. No job of the same or a lower priority may overtake it.
  struct Front {
    JobId id;
    int priority = 0;
    Points cost;
  };
  std::optional<Front> front(TimePoint now) const;

  /// `job` must be completed.
  Points cost_of(const JobRequest& job) const;
  const GovernorOptions& options() const { return options_; }
  /// The cost of a pending job; nullopt if it is not pending.
  std::optional<Points> pending_cost(JobId id) const;
  std::size_t pending() const { return pending_->size(); }
  Points usage() const { return permits_.usage(); }
  Points size() const { return window_.size; }
  std::size_t running() const { return running_count_; }
  Switch operated() const { return operated_; }
  /// Records that a caller refused a job for the window by the admission snapshot alone.
  void note_refused_for_window() { refused_ = true; }
  void count_rejected(RefusalCode code, std::uint64_t times);

  Status status(TimePoint now) const;
  std::vector<JobView> jobs(TimePoint now) const;
  std::optional<JobView> job(JobId id, TimePoint now) const;
  std::optional<Explanation> explain(JobId id, TimePoint now) const;

 private:
  using Place = PermitTree::Place;

  class Pass;
  friend class Pass;

  /// A child's use of a manager that one of its ancestors has booked.
  struct Loan {
    JobId lender;
    ResourceNeed need;
  };

  struct RunningJob {
    PendingJob job;  ///< As it was when pending; its needs are those that were booked.
    TimePoint admitted;
    std::uint64_t turn = 0;  ///< Order of admission; clocks of different resolution do not give it.
    std::vector<ResourceNeed> needs;
    std::vector<HeldItems> items;
    std::optional<MemoryUse> use;  ///< As far as it was measured.
    Reservation::Charge charge;    ///< The memory reserved for it.
    double own_held = 0;           ///< Bytes, without its children's; only if these hold some.
    std::vector<Loan> loans;
    bool in_use = false;
    bool starting = false;
  };

  /// A queue keeps its number while it has jobs.
  struct Queue {
    std::string_view name;
    QueueOptions options;
    std::size_t running = 0;
    bool paused = false;
    bool there = true;  ///< Is in the configuration.
  };

  /// Needs of a pending job, and the key under which highlanders count it.
  struct Needs {
    std::vector<ResourceNeed> resources;
    std::string key;

    auto operator<=>(const Needs&) const = default;
  };

  /// The last refusal reported for a pending job.
  struct Told {
    RefusalCode code = RefusalCode::window;
    std::string_view binding;
    JobId ahead;

    bool operator==(const Told&) const = default;
  };

  /// When the next job reaches an age, and its arrival number. In the past if unknown.
  struct Boundary {
    TimePoint at;
    std::uint64_t arrival = 0;
  };

  // Submitting (core.cpp, core_submit.cpp):
  bool is_plain(const JobRequest& job) const;
  std::variant<Admitted, Refusal> try_admit_plain(const JobRequest& job, TimePoint now);
  Admitted start_now(PendingJob candidate, TimePoint now);
  std::variant<Admitted, Refusal> try_admit_completed(const JobRequest& job, TimePoint now);
  /// Cost and queue of a completed and checked request.
  struct Priced {
    Points cost;
    std::uint32_t queue = 0;
  };
  std::variant<Priced, Refusal> price(const JobRequest& job, JobId id);
  std::optional<Refusal> refuse_for_good(const JobRequest& job, Points cost, std::uint32_t queue,
                                         JobId id) const;
  /// Why the candidate may not start now, by the checks for a pending job alone in its queue, in
  /// the same order. nullopt if it may; on its parent's permit if this reduced `candidate.cost`.
  std::optional<Refusal> why_not_now(PendingJob& candidate, const std::vector<JobId>& after,
                                     const std::optional<Refusal>& closed, TimePoint now);
  std::variant<Queued, Refusal> enqueue(PendingJob pending, const std::vector<JobId>& after,
                                        TimePoint now, std::optional<JobId> expected);
  std::optional<JobId> waiting_highlander(const PendingJob& job) const;
  /// The request as a pending job, without its numbers and times.
  PendingJob prepare(JobRequest job, JobId id, Points cost, std::uint32_t queue);
  std::vector<RateLimit> limits_of(const JobRequest& job, JobId id) const;
  /// Releases what `prepare` took, once the job neither waits nor runs.
  void discard(const PendingJob& job);
  Refusal refusal(RefusalCode code, std::string_view binding, Points cost) const;
  /// Counts the refusal and returns it.
  Refusal reject(Refusal refused);
  Refusal impossible(Points cost) const;
  std::uint32_t queue_number(std::string_view name) const;
  JobRequest request_of(const PendingJob& job) const;
  void enlist_highlander(const PendingJob& job);
  void delist_highlander(const PendingJob& job);

  // Jobs of an earlier governor (core_restore.cpp):
  Admitted adopt(JobSnapshot former, TimePoint now);
  std::variant<Queued, Refusal> requeue(JobSnapshot former, const std::vector<JobId>& after,
                                        TimePoint now);
  JobRequest fitted(JobRequest job) const;

  // Dependencies (core_dependencies.cpp):
  enum class End { well, badly };
  struct Awaited {
    std::vector<JobId> by;
    bool expected = false;  ///< `expect` reserved its number and it was not submitted yet.
  };
  std::optional<Refusal> await(PendingJob& job, const std::vector<JobId>& after);
  bool is_unfinished(JobId id) const;
  bool reaches(JobId from, JobId to) const;
  void over(JobId id, End end);
  std::optional<JobId> settle(JobId waiting, JobId done, End how);

  // Passes (core_pass.cpp, pass.h):
  /// Books the needs of the job in `slot`, whose locks have been started.
  Admitted run(std::uint32_t slot, TimePoint now);
  /// Moves the needs of a pending job to the running one, before they are booked.
  void claim_needs(RunningJob& running);
  /// Adds the job in `slot`, whose resources are booked, to the running ones.
  Admitted enter(std::uint32_t slot, TimePoint now);
  double weight_of(const PendingJob& job, TimePoint now) const;
  /// Why an eligible job does not start now: what it needs is not free.
  std::optional<Refusal> shortage_of(const PendingJob& job, TimePoint now) const;
  void tell(std::vector<Decision>& decisions, std::uint32_t slot, const Refusal& refusal,
            TimePoint now);
  std::vector<JobId> conflicts_of(const LockProfile& locks) const;
  void saturate(TimePoint now);
  void reserve_locks(std::uint32_t slot);
  void unreserve_locks(std::uint32_t slot);
  PendingJob take(std::uint32_t slot);
  void note_boundaries(const PendingJob& job);
  void forget_boundaries(const PendingJob& job);
  Boundary boundary_after(std::size_t ticks, TimePoint now) const;
  void locks_started(const LockProfile& locks);
  void locks_finished(const LockProfile& locks);
  std::optional<Refusal> ineligible(const PendingJob& job) const;
  std::optional<Refusal> held_by_dependency(const PendingJob& job) const;
  /// The job's ancestors do not count towards a limit.
  std::optional<Refusal> held_by_rate(const PendingJob& job,
                                      const std::vector<Place>& parents) const;
  /// Why an eligible child may not use the window in addition to its ancestors' permits.
  std::optional<Refusal> kept_from_window(const PendingJob& job) const;
  std::optional<Refusal> held_by_contention(const PendingJob& job) const;
  /// As `held_by_contention`, for a child: it ignores its ancestors' locks and locks reserved for
  /// pending jobs, which may be waiting for its ancestors.
  std::optional<Refusal> held_by_strangers(const PendingJob& job) const;
  static bool may_start(const void* core, const Strand& strand);

  // Jobs that work on another job's permit (core_nesting.cpp):
  /// Where the job's parent runs; nullopt if it has none or that job is over.
  std::optional<Place> place_of_parent(const PendingJob& job) const;
  std::optional<Place> place_of(JobId running) const;
  /// The parent and its ancestors, nearest first.
  std::vector<Place> line_of(const PendingJob& job) const;
  /// The points with which it may start on its ancestors' permits: all that it needs or, as the
  /// only child, what they have. nullopt: it waits for the other children, or for the window.
  std::optional<Points> room_on_permit(const PendingJob& job, const Prediction& expected) const;
  /// Its need beyond its parent's reservation.
  MemoryNeed need_beyond_permit(const PendingJob& job, const MemoryNeed& need) const;
  std::optional<Reservation::Standing> memory_standing(const PendingJob& job,
                                                       const Prediction& expected) const;
  /// Its needs beyond the unused part of its ancestors' bookings; `loans` receives the part it
  /// borrows.
  std::vector<ResourceNeed> needs_beyond_parents(const PendingJob& job,
                                                 std::vector<ResourceNeed> needs,
                                                 std::vector<Loan>* loans = nullptr) const;
  bool is_lent(JobId lender, std::uint32_t manager) const;
  bool is_short_of_managers(const PendingJob& job) const;
  void borrow(std::uint32_t slot);
  /// Starts children on their ancestors' permits, regardless of the window and the switches.
  void start_children(TimePoint now, std::vector<Admitted>& admitted);
  void enlist_child(const PendingJob& job);
  void delist_child(const PendingJob& job);
  /// The job in `slot` ends: jobs that wait for its permit now wait for its parent's.
  void leave_tree(std::uint32_t slot);
  /// Running jobs, children before their parents.
  std::vector<std::uint32_t> children_first() const;

  // Predictions and memory (core_memory.cpp):
  Points cost_from(const Prediction& prediction) const;
  /// The current prediction for a job; its own declaration takes precedence.
  Prediction predict(const PendingJob& job) const;
  void charge(RunningJob& job, TimePoint now);
  /// Bytes that only the holders' reports account for.
  double reported() const;
  /// Memory held by a running job, by source; `believed`: the part of reports that counts.
  HeldMemory held_by(const RunningJob& job, double believed) const;
  std::vector<HeldMemory> held_by_queue() const;
  /// The running job with the largest reservation; 0 if there is none.
  JobId most_charged() const;
  /// The believed part of its use; nullopt if nobody has reported any.
  std::optional<MemoryUse> believed_use(const RunningJob& job) const;
  Reservation::Charge charge_of(const RunningJob& job, TimePoint now) const;
  void charge_trees(TimePoint now);
  /// Sets the costs of pending jobs to the model's current answers.
  void reprice_all();
  /// Recomputes the charges of all running jobs from what was measured and learned since.
  void charge_all(TimePoint now);

  // Changes (core_change.cpp):
  std::optional<BadRequest> set_pending(std::uint32_t slot, const JobChange& change);
  std::optional<BadRequest> set_running(RunningJob& job, const JobChange& change);
  void park(std::uint32_t slot);
  Parked parked_of(const PendingJob& job) const;
  void reindex(std::uint32_t slot, const JobRequest& request, std::uint32_t queue,
               OrderNumber order, bool is_frozen);
  bool readmit(PendingJob before, JobRequest request);
  /// Replaces the queues; `before` tells which ones the configuration had paused.
  void set_queues(const QueueingOptions& before);
  /// Rebuilds the indexes of all jobs under the current options.
  void rebuild(TimePoint now);
  RunningJob* find_running(JobId id);
  const RunningJob* find_running(JobId id) const;

  Room room() const;
  /// The sensors as input of the law, including the governor's own two.
  void judge_all(TimePoint now);
  std::uint32_t free_slot();
  std::string_view keep_name(std::string_view name);

  // Views (core_status.cpp, core_explain.cpp):
  JobView view(const RunningJob& job) const;
  /// The decisions of a pass about each job now, without starting any.
  struct Verdicts {
    std::unordered_map<std::uint32_t, Refusal> by_slot;  ///< Of the jobs it considered.
    std::vector<std::optional<JobId>> blockers;          ///< By queue.
  };
  Verdicts verdicts(TimePoint now) const;
  /// Every reason to send no more work, of which `why_full` returns the first.
  std::vector<Refusal> all_full() const;
  /// Every reason that keeps a pending job from starting; the first is `said`, from `refusal_of`.
  std::vector<Refusal> blockers_of(const PendingJob& job, const std::optional<Refusal>& said,
                                   TimePoint now) const;
  std::vector<Refusal> all_ineligible(const PendingJob& job) const;
  std::optional<Refusal> refusal_of(std::uint32_t slot, const Verdicts& verdicts) const;
  JobView view(std::uint32_t slot, std::size_t place, const Verdicts& verdicts) const;
  std::optional<WindowChange> change_window(const WindowStep& step, TimePoint now);
  SensorStatus status_of(const KnownSensor& sensor, TimePoint now) const;
  std::vector<SensorStatus> own_sensors(TimePoint now) const;
  std::vector<QueueStatus> queue_status(TimePoint now) const;
  std::vector<ResourceStatus> resource_status() const;
  void explain_weight(Explanation& explanation, const PendingJob& job, TimePoint now) const;
  std::vector<const RunningJob*> running_in_order() const;

  GovernorOptions options_;
  CostModel cost_model_;
  std::vector<KnownSensor> sensors_;
  std::vector<JudgedSensor> judged_;  ///< After the last sweep or switch.
  std::string_view red_;              ///< The worst red sensor of these.

  WindowState window_;
  std::optional<WindowChange> last_change_;
  RegistrationState registration_;
  Switch operated_ = Switch::running;

  std::set<std::string, std::less<>> names_;  ///< What refusals may point at; only grows.
  std::vector<Queue> queues_;
  Resources resources_;
  std::unique_ptr<Contention> contention_;
  std::unique_ptr<PendingQueue> pending_;
  std::optional<LockReservations> lock_reservations_;  ///< Under `hold` only.
  std::unordered_set<std::uint32_t> reserving_;        ///< Slots of jobs that reserve their locks.
  std::uint64_t saturated_up_to_ = 0;  ///< Largest arrival number known to be saturated.
  RateLimits limits_;
  Interned<Needs> needs_;
  Interned<std::string> programs_, users_, variants_;
  Reservation reservation_;
  double believed_ = 0;  ///< Part of reports that counts: `Reservation::believed_part`.
  /// Pending jobs by highlander and key: more than one only after a change of queue.
  std::map<std::pair<std::uint32_t, std::string>, std::set<JobId>> highlanders_;
  std::vector<std::string_view> rule_names_, level_names_;
  LockProfile plain_locks_;  ///< Of a job that declares no locks.
  std::uint32_t default_queue_ = 0;
  std::unordered_map<std::uint64_t, Awaited> awaited_;
  FailedJobs failed_;
  /// The jobs a pending one still waits for; `failed`: under `on_failure: hold`, a job that ended
  /// badly.
  struct Waits {
    std::vector<JobId> open;
    JobId failed;
  };
  std::unordered_map<std::uint64_t, Waits> waits_;
  std::vector<Ended> ended_;
  std::unordered_map<std::uint64_t, Told> told_;
  std::vector<std::uint32_t> flipped_;  ///< Names; a member to avoid the allocation.
  std::vector<Boundary> boundaries_;    ///< By tick, from 1.

  PermitTree permits_;  ///< By slot.
  /// The pending children of each running job, in the order they start on its permit: by priority,
  /// then by number.
  std::map<JobId, std::set<std::pair<std::int64_t, JobId>>> waiting_children_;
  std::vector<RunningJob> running_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t running_count_ = 0;
  std::size_t starting_count_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_arrival_ = 0;
  bool refused_ = false;  ///< A job was refused for the window since `adjust_window` last ran.
  mutable std::vector<std::uint32_t> stamps_;  ///< By slot: the pass that skipped the job.
  mutable std::uint32_t last_stamp_ = 0;
  Counters counters_;
};

}  // namespace sluice

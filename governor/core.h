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
#include "governor/judgement.h"
#include "governor/lock_reservations.h"
#include "governor/pending_queue.h"
#include "governor/permit_tree.h"
#include "governor/rate_limits.h"
#include "governor/registration.h"
#include "governor/reservation.h"
#include "governor/resources.h"
#include "governor/window.h"
#include "sluice/explanation.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"

namespace sluice {

/// A job that was just admitted; `slot` is what gives its points back.
struct Admitted {
  JobId id;
  Points cost;
  std::uint32_t slot = 0;
  std::vector<HeldItems> items;
};

/// What a pass did with one job it looked at.
struct Decision {
  JobId job;
  std::optional<Refusal> refusal;  ///< None: admitted.
  Points cost, usage, size;        ///< At that instant, its own cost included once admitted.
  double weight = 0;               ///< The job's, when it was looked at.
  std::vector<HeldItems> items;    ///< Of an admitted one.
  std::vector<JobId> conflicts;    ///< Running jobs that an admitted one will certainly block on.
};

/// A pending job whose wait ended without admission: cancelled by a dependency or by a rule.
struct Ended {
  JobId job;
  Refusal refusal;
};

/// A sensor as the core knows it: its name, how to judge it, and what was seen.
struct KnownSensor {
  std::string_view name;  ///< Interned by the caller; outlives the core.
  SensorPolicy policy;
  Judgement judgement;
  Duration read_duration{0};
};

/// The governor without its threads: what runs, what waits, the window and the switches. Events
/// go in with the time they happen at, decisions come out; the same events give the same
/// decisions, on a real clock or a virtual one. Not thread-safe.
class Core {
 public:
  /// What binds where a job would block on everything.
  static constexpr std::string_view kGlobalLock = "global_lock";

  Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
       TimePoint now);

  /// Admits at once or says why not; never overtakes. Does not allocate once as many jobs have
  /// run side by side before.
  std::variant<Admitted, Refusal> try_admit(const JobRequest& job, TimePoint now);
  /// Queues the job; admission is left to the next `pass`.
  /// `id`: the number that `expect` gave for it.
  std::variant<Queued, Refusal> submit(JobRequest job, TimePoint now,
                                       std::optional<JobId> id = std::nullopt);
  /// Admits at once what `try_admit` would, and queues what may wait. A job that is queued counts
  /// as submitted alone, not as rejected.
  std::variant<Admitted, Queued, Refusal> admit_or_queue(JobRequest job, TimePoint now);
  /// A number for a job that will be submitted later, so that others may already wait for it.
  JobId expect();
  /// The expected job will not come: who waits for it goes on as if it had been cancelled.
  void give_up(JobId expected);
  bool cancel(JobId id);
  /// What `Governor::restore` promises; of a core without jobs.
  using Taken = std::variant<Admitted, Queued, Refusal>;
  std::vector<Taken> restore(FormerLife life, TimePoint now);
  JobRequest completed(JobRequest job) const;
  std::optional<BadRequest> check(const JobRequest& job) const;
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now);
  /// `paused` or `running`; false: there is no such queue.
  bool operate_queue(std::string_view queue, Switch position);
  /// Jobs whose waits ended by themselves since the last call, in that order.
  std::vector<Ended> take_ended();
  bool has_ended() const { return !ended_.empty(); }
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now);
  void started(std::uint32_t slot);
  /// What a running job's processes hold now.
  void measured(std::uint32_t slot, const JobUsage& usage, TimePoint now);
  /// New readings of the limits on memory.
  void observe_memory(std::vector<MemoryLimit> limits);
  /// Only `running` ends draining; who drains is paused already.
  void operate(Switch position);

  /// Starts every pending job that may start, in order: passes of tours until one admits nothing.
  /// With `decisions`, also tells of every job that was looked at and did not start, once for each
  /// time its refusal's code or binding is another than told last.
  std::vector<Admitted> pass(TimePoint now, std::vector<Decision>* decisions = nullptr);

  /// The next instant after `now` at which a pending job's age reaches another tick; none: never.
  std::optional<TimePoint> next_boundary(TimePoint now) const;

  /// One sweep of the sensors, in their order. Returns the names of those whose verdict or
  /// ability to be read changed.
  struct Sweep {
    Measurement measurement;
    Duration took{0};
  };
  std::vector<std::string_view> observe(const std::vector<Sweep>& sweep, TimePoint now);

  /// One look of the control law.
  std::optional<WindowChange> look(TimePoint now);

  /// Whether the world must be told that work is taken, or no longer taken.
  RegistrationStep check_registration(TimePoint now);

  /// Why `reload` may not be called with these: a queue, manager or lock level would go that a
  /// job still needs; none: it may.
  std::optional<BadRequest> check_reload(const QueueingOptions& options) const;

  /// New options, sensors and cost model; sensors of a known name keep what was seen of them.
  std::optional<WindowChange> reload(GovernorOptions options, CostModel cost_model,
                                     std::vector<KnownSensor> sensors, TimePoint now);

  /// Why nothing at all is admitted, and why no work should be sent.
  std::optional<Refusal> why_closed() const { return closed(room()); }
  std::optional<Refusal> why_full() const { return full(room()); }

  /// The pending job that may start and is first in line: the highest priority, then the order of
  /// the queues. Nobody of its priority or a lower one may overtake it.
  struct Front {
    JobId id;
    int priority = 0;
    Points cost;
  };
  std::optional<Front> front(TimePoint now) const;

  /// Of a completed request.
  Points cost_of(const JobRequest& job) const;
  const GovernorOptions& options() const { return options_; }
  /// The cost of a pending job; none: it does not pend.
  std::optional<Points> pending_cost(JobId id) const;
  std::size_t pending() const { return pending_->size(); }
  Points usage() const { return permits_.usage(); }
  Points size() const { return window_.size; }
  std::size_t running() const { return running_count_; }
  Switch operated() const { return operated_; }
  /// Notes that a caller refused a job for the window by `door` alone, without asking the core.
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

  /// What a child uses of a manager that one of its parents has booked.
  struct Loan {
    JobId lender;
    ResourceNeed need;
  };

  struct RunningJob {
    PendingJob job;  ///< As it pended; its needs are those that were booked.
    TimePoint admitted;
    std::uint64_t turn = 0;  ///< Order of admission; clocks of different grain do not give it.
    std::vector<ResourceNeed> needs;
    std::vector<HeldItems> items;
    std::optional<MemoryUse> use;  ///< As far as it was measured.
    Reservation::Charge charge;    ///< What is kept for it.
    double own_held = 0;           ///< Bytes, without what its children hold; where some do.
    std::vector<Loan> loans;
    bool in_use = false;
    bool starting = false;
  };

  /// A queue keeps its number as long as there is a job in it.
  struct Queue {
    std::string_view name;
    QueueOptions options;
    std::size_t running = 0;
    bool paused = false;
    bool there = true;  ///< In the configuration.
  };

  /// Needs of a pending job, and the key that its highlanders count.
  struct Needs {
    std::vector<ResourceNeed> resources;
    std::string key;

    auto operator<=>(const Needs&) const = default;
  };

  /// What was told last of a pending job.
  struct Told {
    RefusalCode code = RefusalCode::window;
    std::string_view binding;
    JobId ahead;

    bool operator==(const Told&) const = default;
  };

  /// When the next job reaches an age, and its arrival number. In the past: not known any more.
  struct Boundary {
    TimePoint at;
    std::uint64_t arrival = 0;
  };

  // Submitting (core.cpp, core_submit.cpp):
  bool is_plain(const JobRequest& job) const;
  std::variant<Admitted, Refusal> try_admit_plain(const JobRequest& job, TimePoint now);
  Admitted start_now(PendingJob candidate, TimePoint now);
  std::variant<Admitted, Refusal> try_admit_completed(const JobRequest& job, TimePoint now);
  /// A completed request, checked, with its cost and its queue.
  struct Priced {
    Points cost;
    std::uint32_t queue = 0;
  };
  std::variant<Priced, Refusal> price(const JobRequest& job, JobId id);
  std::optional<Refusal> refuse_for_good(const JobRequest& job, Points cost, std::uint32_t queue,
                                         JobId id) const;
  /// Why the candidate may not start now, as if it pended, alone in its queue: the same checks in
  /// the same order. None: it may, on its parent's permit where `candidate.cost` is smaller now.
  std::optional<Refusal> why_not_now(PendingJob& candidate, const std::vector<JobId>& after,
                                     const std::optional<Refusal>& closed, TimePoint now);
  std::variant<Queued, Refusal> enqueue(PendingJob pending, const std::vector<JobId>& after,
                                        TimePoint now, std::optional<JobId> expected);
  std::optional<JobId> waiting_highlander(const PendingJob& job) const;
  /// The request as a job that waits, but for its numbers and times.
  PendingJob prepare(JobRequest job, JobId id, Points cost, std::uint32_t queue);
  std::vector<RateLimit> limits_of(const JobRequest& job, JobId id) const;
  /// Gives back what `prepare` took for a job that neither waits nor runs in the end.
  void discard(const PendingJob& job);
  Refusal refusal(RefusalCode code, std::string_view binding, Points cost) const;
  /// Counts it.
  Refusal reject(Refusal refused);
  Refusal impossible(Points cost) const;
  std::uint32_t queue_number(std::string_view name) const;
  JobRequest request_of(const PendingJob& job) const;
  void enlist_highlander(const PendingJob& job);
  void delist_highlander(const PendingJob& job);

  // Jobs of an earlier life (core_restore.cpp):
  Admitted adopt(FormerJob former, TimePoint now);
  std::variant<Queued, Refusal> requeue(FormerJob former, const std::vector<JobId>& after,
                                        TimePoint now);
  JobRequest fitted(JobRequest job) const;

  // Dependencies (core_dependencies.cpp):
  enum class End { well, badly };
  struct Awaited {
    std::vector<JobId> by;
    bool expected = false;  ///< `expect` gave its number and it was not submitted yet.
  };
  std::optional<Refusal> await(PendingJob& job, const std::vector<JobId>& after);
  bool is_unfinished(JobId id) const;
  bool reaches(JobId from, JobId to) const;
  void over(JobId id, End end);
  std::optional<JobId> settle(JobId waiting, JobId done, End how);

  // Passes (core_pass.cpp, pass.h):
  /// Books what the job in `slot` needs, whose locks have been started.
  Admitted run(std::uint32_t slot, TimePoint now);
  /// Takes the needs of a job that waited for those of one that runs, before they are booked.
  void claim_needs(RunningJob& running);
  /// Counts the job in `slot`, whose resources are booked, among those that run.
  Admitted enter(std::uint32_t slot, TimePoint now);
  double weight_of(const PendingJob& job, TimePoint now) const;
  /// Why an eligible job does not start now by itself: what it needs is not free.
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
  /// A label is not full of the running job's parents.
  std::optional<Refusal> held_by_rate(const PendingJob& job,
                                      const std::vector<Place>& parents) const;
  /// Why an eligible child may not start beside its parents' permits.
  std::optional<Refusal> kept_from_window(const PendingJob& job) const;
  std::optional<Refusal> held_by_contention(const PendingJob& job) const;
  /// The same for a child: what its parents lock does not hold it, nor do locks that are kept for
  /// jobs which wait, as those may wait for its parents.
  std::optional<Refusal> held_by_strangers(const PendingJob& job) const;
  static bool may_start(const void* core, const Strand& strand);

  // Jobs that work on the permit of another (core_nesting.cpp):
  /// Where the job's parent runs; none: it has none, or that one is over.
  std::optional<Place> place_of_parent(const PendingJob& job) const;
  std::optional<Place> place_of(JobId running) const;
  /// The parent and its parents, nearest first.
  std::vector<Place> line_of(const PendingJob& job) const;
  /// The points with which it may start on its parents' permits: all that it needs, or as the only
  /// child what they have. None: it waits for the other children, or for the window.
  std::optional<Points> room_on_permit(const PendingJob& job, const Prediction& expected) const;
  /// What it needs beyond what is kept for its parents.
  MemoryNeed need_beyond_permit(const PendingJob& job, const MemoryNeed& need) const;
  std::optional<Reservation::Standing> memory_standing(const PendingJob& job,
                                                       const Prediction& expected) const;
  /// What it needs beyond what its parents have booked and nobody else uses; with `loans`, notes
  /// what it uses of theirs.
  std::vector<ResourceNeed> needs_beyond_parents(const PendingJob& job,
                                                 std::vector<ResourceNeed> needs,
                                                 std::vector<Loan>* loans = nullptr) const;
  bool is_lent(JobId lender, std::uint32_t manager) const;
  bool is_short_of_managers(const PendingJob& job) const;
  void borrow(std::uint32_t slot);
  /// Starts children on their parents' permits, whatever the window and the switches say.
  void start_children(TimePoint now, std::vector<Admitted>& admitted);
  void enlist_child(const PendingJob& job);
  void delist_child(const PendingJob& job);
  /// The job in `slot` ends: who waits for its permit has its parent's from here on.
  void leave_tree(std::uint32_t slot);
  /// Running jobs, children before their parents.
  std::vector<std::uint32_t> children_first() const;

  // Predictions and memory (core_memory.cpp):
  Points cost_from(const Prediction& prediction) const;
  /// What is expected of a job by now; its own word comes first.
  Prediction predict(const PendingJob& job) const;
  void charge(RunningJob& job, TimePoint now);
  /// What holders alone report that their jobs hold, in bytes.
  double reported() const;
  /// What a running job holds, by who says so; `believed`: of reports, the part that counts.
  HeldMemory held_by(const RunningJob& job, double believed) const;
  std::vector<HeldMemory> held_by_queue() const;
  /// The running job that most memory is kept for; none where none is.
  JobId most_charged() const;
  /// What it holds, as far as it is believed; none: nobody has said.
  std::optional<MemoryUse> believed_use(const RunningJob& job) const;
  Reservation::Charge charge_of(const RunningJob& job, TimePoint now) const;
  void charge_trees(TimePoint now);
  /// Pending jobs cost what the model says now.
  void reprice_all();
  /// Charges all running jobs again by what was measured and learned since.
  void charge_all(TimePoint now);

  // Changes (core_change.cpp):
  std::optional<BadRequest> set_pending(std::uint32_t slot, const JobChange& change);
  std::optional<BadRequest> set_running(RunningJob& job, const JobChange& change);
  void park(std::uint32_t slot);
  Parked parked_of(const PendingJob& job) const;
  void reindex(std::uint32_t slot, const JobRequest& request, std::uint32_t queue,
               OrderNumber order, bool is_frozen);
  bool readmit(PendingJob before, JobRequest request);
  /// Queues as configured now; `before` tells which were paused by the configuration.
  void set_queues(const QueueingOptions& before);
  /// Indexes all jobs again under the options as they are now.
  void rebuild(TimePoint now);
  RunningJob* find_running(JobId id);
  const RunningJob* find_running(JobId id) const;

  Room room() const;
  /// The sensors as the law sees them now, the governor's own two included.
  void judge_all(TimePoint now);
  std::uint32_t free_slot();
  std::string_view keep_name(std::string_view name);

  // Views (core_status.cpp, core_explain.cpp):
  JobView view(const RunningJob& job) const;
  /// What a pass would say of each job now, without starting any.
  struct Verdicts {
    std::unordered_map<std::uint32_t, Refusal> by_slot;  ///< Of the jobs it looked at.
    std::vector<std::optional<JobId>> blockers;          ///< By queue.
  };
  Verdicts verdicts(TimePoint now) const;
  /// All that stands against any more work, as `why_full` names one.
  std::vector<Refusal> all_full() const;
  /// All that keeps a pending job from starting; the first is `said`, what `refusal_of` says.
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
  std::vector<JudgedSensor> judged_;  ///< As of the last sweep or switch.
  std::string_view red_;              ///< The worst red one of these.

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
  std::uint64_t saturated_up_to_ = 0;  ///< Arrival number of the last one that is known to be.
  RateLimits limits_;
  Interned<Needs> needs_;
  Interned<std::string> programs_, users_, variants_;
  Reservation reservation_;
  double believed_ = 0;  ///< Of what holders alone report, see `Reservation::believed_part`.
  /// The jobs that wait, of each highlander and key: more than one only after a change of queue.
  std::map<std::pair<std::uint32_t, std::string>, std::set<JobId>> highlanders_;
  std::vector<std::string_view> rule_names_, level_names_;
  LockProfile plain_locks_;  ///< Of a job that says nothing of locks.
  std::uint32_t default_queue_ = 0;
  std::unordered_map<std::uint64_t, Awaited> awaited_;
  FailedJobs failed_;
  /// What a pending job still waits for; `failed`: what ended badly, under `on_failure: hold`.
  struct Waits {
    std::vector<JobId> open;
    JobId failed;
  };
  std::unordered_map<std::uint64_t, Waits> waits_;
  std::vector<Ended> ended_;
  std::unordered_map<std::uint64_t, Told> told_;
  std::vector<std::uint32_t> flipped_;  ///< Names; a member to spare the allocation.
  std::vector<Boundary> boundaries_;    ///< By tick, from 1.

  PermitTree permits_;  ///< By slot.
  /// The pending children of each running job, in the order in which they start on its permit: by
  /// priority, then by number.
  std::map<JobId, std::set<std::pair<std::int64_t, JobId>>> waiting_children_;
  std::vector<RunningJob> running_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t running_count_ = 0;
  std::size_t starting_count_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_arrival_ = 0;
  bool refused_ = false;  ///< Something was refused for the window since the last look.
  mutable std::vector<std::uint32_t> stamps_;  ///< By slot: the pass that passed the job over.
  mutable std::uint32_t last_stamp_ = 0;
  Counters counters_;
};

}  // namespace sluice

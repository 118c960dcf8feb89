#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "governor/admission.h"
#include "governor/judgement.h"
#include "governor/pending_queue.h"
#include "governor/registration.h"
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
  Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
       TimePoint now);

  /// Admits at once or says why not; never overtakes. Does not allocate once as many jobs have
  /// run side by side before.
  std::variant<Admitted, Refusal> try_admit(const JobRequest& job, TimePoint now);
  /// Queues the job; admission is left to the next `pass`.
  /// `id`: the number that `expect` gave for it.
  std::variant<Queued, Refusal> submit(JobRequest job, TimePoint now,
                                       std::optional<JobId> id = std::nullopt);
  /// A number for a job that will be submitted later, so that others may already wait for it.
  JobId expect();
  /// The expected job will not come: who waits for it goes on as if it had been cancelled.
  void give_up(JobId expected);
  bool cancel(JobId id);
  std::optional<BadRequest> check(const JobRequest& job) const;
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now);
  /// `paused` or `running`; false: there is no such queue.
  bool operate_queue(std::string_view queue, Switch position);
  /// Jobs whose waits ended by themselves since the last call, in that order.
  std::vector<Ended> take_ended();
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now);
  void started(std::uint32_t slot);
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

  /// Why nothing at all is admitted, why no work should be sent, what a job would be refused for.
  std::optional<Refusal> why_closed() const { return closed(room()); }
  std::optional<Refusal> why_full() const { return full(room()); }
  std::optional<Refusal> refusal_of(const PendingJob& job) const;

  Points cost_of(const JobRequest& job) const;
  const GovernorOptions& options() const { return options_; }
  const PendingQueue& pending() const { return pending_; }
  Points usage() const { return usage_; }
  Points size() const { return window_.size; }
  std::size_t running() const { return running_count_; }
  Switch operated() const { return operated_; }
  /// Notes that a caller refused a job for the window by `door` alone, without asking the core.
  void note_refused_for_window() { refused_ = true; }
  void count_rejected(RefusalCode code, std::uint64_t times);

  Status status(TimePoint now) const;
  std::vector<JobView> jobs() const;
  std::optional<JobView> job(JobId id) const;
  std::optional<Explanation> explain(JobId id, TimePoint now) const;

 private:
  struct RunningJob {
    JobId id;
    JobRequest request;
    Points cost;
    TimePoint arrived;
    TimePoint admitted;
    std::uint64_t turn = 0;  ///< Order of admission; clocks of different grain do not give it.
    bool in_use = false;
    bool starting = false;
  };

  Room room() const;
  Refusal impossible(Points cost) const;
  /// The sensors as the law sees them now, the governor's own two included.
  void judge_all(TimePoint now);
  Admitted book(JobId id, const JobRequest& job, Points cost, TimePoint arrived, TimePoint now);
  std::uint32_t free_slot();
  JobView view(const RunningJob& job) const;
  JobView view(const PendingJob& job, std::size_t place) const;
  std::optional<WindowChange> change_window(const WindowStep& step, TimePoint now);
  SensorStatus status_of(const KnownSensor& sensor, TimePoint now) const;
  std::vector<SensorStatus> own_sensors(TimePoint now) const;

  GovernorOptions options_;
  CostModel cost_model_;
  std::vector<KnownSensor> sensors_;
  std::vector<JudgedSensor> judged_;  ///< As of the last sweep or switch.
  std::string_view red_;              ///< The worst red one of these.

  WindowState window_;
  std::optional<WindowChange> last_change_;
  RegistrationState registration_;
  Switch operated_ = Switch::running;

  PendingQueue pending_;
  std::vector<RunningJob> running_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t running_count_ = 0;
  std::size_t starting_count_ = 0;
  Points usage_;
  std::uint64_t last_id_ = 0;
  bool refused_ = false;  ///< Something was refused for the window since the last look.
  Counters counters_;
};

}  // namespace sluice

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "governor/core_state.h"
#include "governor/eligibility.h"
#include "governor/gates.h"
#include "governor/pass.h"
#include "governor/restore.h"
#include "sluice/explanation.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"

namespace sluice {

/// The governor without its threads: running and pending jobs, the window and the switches. Events
/// go in with the time they happen at, decisions come out; the same events give the same decisions,
/// on a real or a virtual clock. Not thread-safe.
class Core {
 public:
  using Sweep = sluice::Sweep;
  using RestoreResult = sluice::RestoreResult;

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
  /// See restore.h.
  std::vector<RestoreResult> restore(GovernorSnapshot life, TimePoint now);
  JobRequest completed(JobRequest job) const;
  std::optional<BadRequest> check(const JobRequest& job) const;
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now);
  /// `position` is `paused` or `running`. False if there is no such queue.
  bool operate_queue(std::string_view queue, Switch position);
  /// Jobs whose waits ended by themselves since the last call, in that order.
  std::vector<Ended> take_ended() { return std::exchange(state_.ended, {}); }
  bool has_ended() const { return !state_.ended.empty(); }
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now);
  void started(std::uint32_t slot) { state_.running.started(slot); }
  /// See memory.h.
  void measured(std::uint32_t slot, const JobUsage& usage, TimePoint now);
  void observe_memory(std::vector<MemoryLimit> limits);
  /// Only `running` ends draining; a draining governor is already paused.
  void operate(Switch position);

  /// See pass.h.
  std::vector<Admitted> pass(TimePoint now, std::vector<Decision>* decisions = nullptr);
  /// The next time after `now` at which a pending job's age reaches another tick; nullopt if never.
  std::optional<TimePoint> next_boundary(TimePoint now) const;

  /// See gates.h.
  std::vector<std::string_view> observe(const std::vector<Sweep>& sweep, TimePoint now);
  std::optional<WindowChange> adjust_window(TimePoint now);
  RegistrationStep check_registration(TimePoint now);
  std::optional<Refusal> why_closed() const { return sluice::why_closed(state_); }
  std::optional<Refusal> why_full() const { return sluice::why_full(state_); }

  /// See reload.h.
  std::optional<BadRequest> check_reload(const QueueingOptions& options) const;
  std::optional<WindowChange> reload(GovernorOptions options, CostModel cost_model,
                                     std::vector<KnownSensor> sensors, TimePoint now);

  /// See eligibility.h.
  std::optional<Front> front(TimePoint now) const;

  /// `job` must be completed.
  Points cost_of(const JobRequest& job) const;
  const GovernorOptions& options() const { return state_.options; }
  /// The cost of a pending job; nullopt if it is not pending.
  std::optional<Points> pending_cost(JobId id) const;
  std::size_t pending() const { return state_.pending->size(); }
  Points usage() const { return state_.running.permits().usage(); }
  Points size() const { return state_.window.size; }
  std::size_t running() const { return state_.running.count(); }
  Switch operated() const { return state_.operated; }
  /// Records that a caller refused a job for the window by the admission snapshot alone.
  void note_refused_for_window() { state_.refused = true; }
  void count_rejected(RefusalCode code, std::uint64_t times);

  Status status(TimePoint now) const;
  std::vector<JobView> jobs(TimePoint now) const;
  std::optional<JobView> job(JobId id, TimePoint now) const;
  std::optional<Explanation> explain(JobId id, TimePoint now) const;

 private:
  CoreState state_;
};

}  // namespace sluice

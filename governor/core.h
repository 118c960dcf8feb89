#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "governor/admission_pass.h"
#include "governor/booking.h"
#include "governor/cancellation.h"
#include "governor/change.h"
#include "governor/core_state.h"
#include "governor/cpu_use.h"
#include "governor/eligibility.h"
#include "governor/job_cost.h"
#include "governor/memory_charge.h"
#include "governor/red_sensors.h"
#include "governor/reload.h"
#include "governor/restore.h"
#include "governor/saved_core.h"
#include "governor/submission.h"
#include "governor/validation/check_request.h"
#include "governor/views.h"
#include "governor/window_control.h"
#include "sluice/explanation.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/refusal.h"
#include "sluice/status.h"

namespace sluice {

/// The governor without its threads: running and pending jobs, the window and the switches. Events
/// go in with the time they happen at, decisions come out; the same events give the same decisions,
/// on a real or a virtual clock. Not thread-safe.
class Core {
 public:
  Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
       TimePoint now)
      : state_(std::move(options), std::move(cost_model), std::move(sensors), now) {
    rebuild(state_, now);
    judge_all(state_, now);
  }

  /// Goes on from the state of another, see saved_core.h.
  Core(const SavedCore& saved, CostModel cost_model, TimePoint now)
      : state_(core_in(saved, std::move(cost_model), now)) {}

  bool may_start_over() const { return sluice::may_start_over(state_); }
  /// See saved_core.h.
  SavedCore saved() const { return sluice::state_of(state_); }
  SavedCore start_over(SavedCore saved, TimePoint now) {
    return sluice::start_over(state_, std::move(saved), now);
  }

  /// Admits at once or returns the reason it cannot; never overtakes. Does not allocate below the
  /// highest number of jobs that have run at once since `start_over`.
  std::variant<Admitted, Refusal> try_admit(const JobRequest& job, TimePoint now) {
    return sluice::try_admit(state_, job, now);
  }
  /// Queues the job; the next `pass` may admit it. `id`: the number that `expect` returned for it.
  std::variant<Queued, Refusal> submit(JobRequest job, TimePoint now,
                                       std::optional<JobId> id = std::nullopt) {
    return sluice::submit(state_, std::move(job), now, id);
  }
  /// Admits at once if `try_admit` would, else queues the job if it may wait. A queued job counts
  /// as submitted, not as rejected.
  std::variant<Admitted, Queued, Refusal> admit_or_queue(JobRequest job, TimePoint now) {
    return sluice::admit_or_queue(state_, std::move(job), now);
  }
  /// Reserves a number for a job that will be submitted later, so that other jobs can wait for it.
  JobId expect() { return sluice::expect(state_); }
  /// The expected job will not come: jobs that wait for it continue as if it had been cancelled.
  void give_up(JobId expected) { sluice::give_up(state_, expected); }
  std::optional<Refusal> cancel(JobId id) { return sluice::cancel(state_, id); }
  /// See restore.h.
  std::vector<RestoreResult> restore(GovernorSnapshot snapshot, TimePoint now) {
    return sluice::restore(state_, std::move(snapshot), now);
  }
  JobRequest completed(JobRequest job) const {
    return complete(state_.options.queueing, std::move(job));
  }
  std::optional<BadRequest> check(const JobRequest& job) const {
    return sluice::check(state_, job);
  }
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now) {
    return sluice::set(state_, id, change, now);
  }
  /// `position` is `paused` or `running`. False if there is no such queue.
  bool operate_queue(std::string_view queue, Switch position) {
    return sluice::operate_queue(state_, queue, position);
  }
  /// Jobs whose waits ended by themselves since the last call, in that order.
  std::vector<Ended> take_ended() { return std::exchange(state_.ended, {}); }
  bool has_ended() const { return !state_.ended.empty(); }
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now) {
    sluice::finish(state_, slot, outcome, now);
  }
  void started(std::uint32_t slot) { state_.running.started(slot); }
  /// See memory_charge.h.
  void measured(std::uint32_t slot, const JobUsage& usage, TimePoint now) {
    sluice::measured(state_, slot, usage, now);
  }
  /// See cpu_use.h.
  void observe_use(UseCounters counters) { sluice::observe_use(state_, std::move(counters)); }
  std::optional<CpuStatus> cpu(TimePoint now) const { return cpu_status(state_, now); }
  void observe_memory(std::vector<MemoryLimit> limits) {
    sluice::observe_memory(state_, std::move(limits));
  }
  /// Only `running` ends draining: a pause must not reopen a draining governor for submits.
  void operate(Switch position) {
    if (operated() == Switch::draining && position == Switch::paused) return;
    state_.operated = position;
  }

  /// See admission_pass.h.
  std::vector<Admitted> pass(TimePoint now, std::vector<Decision>* decisions = nullptr) {
    return start_pending(state_, now, decisions);
  }
  /// The next time after `now` at which a pending job's age reaches another tick; nullopt if never.
  std::optional<TimePoint> next_boundary(TimePoint now) const {
    return state_.boundaries.next(*state_.pending, now);
  }

  /// See red_sensors.h and window_control.h.
  std::vector<std::string_view> observe(const std::vector<TimedMeasurement>& sweep, TimePoint now) {
    return sluice::observe(state_, sweep, now);
  }
  std::optional<WindowChange> adjust_window(TimePoint now) {
    return sluice::adjust_window(state_, now);
  }
  RegistrationStep check_registration(TimePoint now) {
    return sluice::check_registration(state_, now);
  }
  std::optional<Refusal> why_closed() const { return sluice::why_closed(state_); }
  std::optional<Refusal> why_full() const { return sluice::why_full(state_); }
  bool is_full() const { return sluice::is_full(state_); }

  /// See reload.h.
  std::optional<BadRequest> check_reload(const QueueingOptions& options) const {
    return sluice::check_reload(state_, options);
  }
  std::optional<WindowChange> reload(GovernorOptions options, CostModel cost_model,
                                     std::vector<KnownSensor> sensors, TimePoint now) {
    return sluice::reload(state_, std::move(options), std::move(cost_model), std::move(sensors),
                          now);
  }

  /// See eligibility.h.
  std::optional<Front> front(TimePoint now) const { return sluice::front(state_, now); }

  /// `job` must be completed.
  Points cost_of(const JobRequest& job) const { return sluice::cost_of(state_, job); }
  std::optional<Points> points_of_all_cpus() const { return sluice::points_of_all_cpus(state_); }
  const GovernorOptions& options() const { return state_.options; }
  /// The cost of a pending job; nullopt if it is not pending.
  std::optional<Points> pending_cost(JobId id) const {
    const auto slot = state_.pending->find(id);
    return slot ? std::optional((*state_.pending)[*slot].cost) : std::nullopt;
  }
  std::size_t pending() const { return state_.pending->size(); }
  Points usage() const { return state_.running.permits().usage(); }
  Points size() const { return state_.window.size; }
  std::size_t running() const { return state_.running.count(); }
  Switch operated() const { return state_.operated; }
  /// Records that a caller refused a job for the window by the admission snapshot alone.
  void record_refused_for_window() { state_.refused_for_size = true; }

  Status status(TimePoint now) const { return sluice::status(state_, now); }
  std::vector<JobView> jobs(TimePoint now) const { return sluice::jobs(state_, now); }
  std::optional<JobView> job(JobId id, TimePoint now) const { return sluice::job(state_, id, now); }
  std::optional<Explanation> explain(JobId id, TimePoint now) const {
    return sluice::explain(state_, id, now);
  }

 private:
  CoreState state_;
};

}  // namespace sluice

#include "governor/submission.h"

#include <cstddef>
#include <string>
#include <utility>

#include "governor/admission_pass.h"
#include "governor/booking.h"
#include "governor/cpu_admission.h"
#include "governor/eligibility.h"
#include "governor/impossible.h"
#include "governor/job_cost.h"
#include "governor/law/window_room.h"
#include "governor/memory_charge.h"
#include "governor/nesting.h"
#include "governor/red_sensors.h"
#include "governor/request_conversion.h"
#include "governor/validation/check_request.h"
#include "governor/waiting.h"
#include "governor/window_control.h"

namespace sluice {
namespace {

/// Cost and queue of a completed and checked request.
struct Priced {
  Points cost;
  std::uint32_t queue = 0;
};

/// Whether the job asks for points only: most do, and need a fast answer.
bool is_plain(const CoreState& core, const JobRequest& job) {
  const QueueingOptions& queueing = core.options.queueing;
  return queueing.keys.empty() && queueing.rules.empty() && job.queue.empty() && !job.locks &&
         !job.global_lock && queueing.contention.undeclared == Undeclared::none &&
         job.resources.empty() && job.after.empty() && job.reasons.empty() && !job.memory &&
         !job.nice && !job.measured && !job.suspendable && !job.takes_turns &&
         job.program.empty() && job.variant.empty() && job.params.empty() &&
         job.parent == JobId{} && has_possible_numbers(job) &&
         core.queues[core.queues.default_number()].options.resources.empty() &&
         !core.queues[core.queues.default_number()].paused && !core.lock_reservations;
}

/// The first error in a completed request; nullopt if there is none.
std::optional<BadRequest> problem_of(const CoreState& core, const JobRequest& job) {
  if (auto bad = check_request(core.options.queueing, job)) return bad;
  for (const JobId id : job.after) {
    const bool is_known = id.value > 0 && id.value <= core.last_id;
    if (!is_known) return BadRequest{"after", "there is no job " + std::to_string(id.value)};
  }
  return std::nullopt;
}

std::variant<Priced, Refusal> price(CoreState& core, const JobRequest& job, JobId id) {
  if (const auto bad = problem_of(core, job)) {
    return core.refusal(RefusalCode::invalid, core.names.intern_field(bad->field), Points{0});
  }
  const Priced priced{cost_of(core, job), queue_for(core, job)};
  if (const auto refused = refuse_for_good(core, job, priced.cost, priced.queue, id))
    return *refused;
  return priced;
}

/// Why a job may not even wait; nullopt if it may.
std::optional<Refusal> why_not_queued(const CoreState& core, JobId parent, Points cost) {
  if (core.operated == Switch::draining && !core.running.place_of(parent)) {
    return core.refusal(RefusalCode::draining, "draining", cost);
  }
  if (core.pending->size() < core.options.max_pending) return std::nullopt;
  return core.refusal(RefusalCode::max_pending, "max_pending", cost);
}

/// Why the candidate may not start now, by the checks for a pending job alone in its queue, in the
/// same order. nullopt if it may; on its parent's permit if this reduced `candidate.cost`.
std::optional<Refusal> why_not_now(CoreState& core, PendingJob& candidate,
                                   const std::vector<JobId>& after,
                                   const std::optional<Refusal>& closed, TimePoint now) {
  charge_all(core, now);
  candidate.arrived = now;
  candidate.arrival = core.last_arrival + 1;
  std::optional<Refusal> refused = await(core, candidate, after);
  if (!refused) refused = ineligible(core, candidate);
  const bool has_elders = core.waiting_children.contains(candidate.parent);
  const auto on_permit = refused || has_elders || is_short_of_managers(core, candidate)
                             ? std::nullopt
                             : room_on_permit(core, candidate, predict(core, candidate));
  if (on_permit) {
    candidate.cost = *on_permit;
    return std::nullopt;
  }
  const Points cost = candidate.cost;
  if (!refused && closed) refused = core.refusal(closed->code, closed->binding, cost);
  if (!refused) refused = kept_from_window(core, candidate);
  if (const auto first = refused ? std::nullopt : front(core, now);
      first && first->priority >= candidate.priority) {
    refused = core.refusal(RefusalCode::behind, "behind", cost, first->id);
  }
  if (!refused) refused = Pass(core, now, Pass::Scope::startable, {}).shortage_of(candidate);
  return refused;
}

std::variant<Admitted, Refusal> try_admit_completed(CoreState& core, const JobRequest& job,
                                                    TimePoint now) {
  const JobId id{core.last_id + 1};
  const auto result = price(core, job, id);
  if (const auto* refused = std::get_if<Refusal>(&result)) return *refused;
  const Priced& priced = std::get<Priced>(result);
  const auto closed = why_closed(core);
  if (closed && !core.running.place_of(job.parent)) {
    return core.refusal(closed->code, closed->binding, priced.cost);
  }
  PendingJob candidate = prepare(core, job, id, priced.cost, priced.queue);
  if (const auto refused = why_not_now(core, candidate, job.after, closed, now)) {
    core.dependencies.forget(id);
    discard(core, candidate);
    return *refused;
  }
  return start_now(core, std::move(candidate), now);
}

std::variant<Admitted, Refusal> try_admit_plain(CoreState& core, const JobRequest& job,
                                                TimePoint now) {
  const bool is_predicted =
      !job.cost || core.options.window.law == Law::knee || core.reservation.is_in_force();
  Prediction prediction = is_predicted ? core.cost_model(job) : Prediction{};
  if (prediction.memory && core.reservation.is_in_force())
    return try_admit_completed(core, job, now);
  const Points cost = job.cost ? cost_of(core, job) : cost_from(core, prediction);
  if (!job.cost) prediction.cost = cost;
  if (cost > core.options.window.maximum) return too_large_for_window(core, cost);
  const std::optional<Refusal> refused = refuse(room(core), cost);
  if (refused && refused->code != RefusalCode::window) return *refused;
  if (!core.pending->empty()) {
    const auto first = front(core, now);
    if (first && first->priority >= job.priority.value_or(0)) {
      return core.refusal(RefusalCode::behind, "behind", cost, first->id);
    }
  }
  if (refused) return *refused;
  static const PendingJob kUnmeasured;  // All that is known of the job is its prediction.
  if (const auto busy = cpu_shortage(core, kUnmeasured, prediction, now)) return *busy;
  const std::uint32_t slot = core.running.free_slot();
  // Assigned one by one: strings keep the memory of the previous job in this slot.
  PendingJob& admitted = core.running[slot].job;
  admitted.id = JobId{++core.last_id};
  admitted.parent = {};
  admitted.arrived = now;
  admitted.cost = cost;
  admitted.name = job.id;
  admitted.key = job.key;
  admitted.locks.shape = core.plain_locks.shape;
  admitted.locks.names.clear();
  admitted.rest.reset();
  admitted.priority = job.priority.value_or(0);
  admitted.inventory = job.inventory.value_or(1);
  admitted.queue = core.queues.default_number();
  admitted.needs = 0;
  admitted.limits = 0;
  admitted.program = admitted.variant = 0;
  admitted.user = job.user.empty() ? 0 : core.users.learn(job.user);
  admitted.measured = false;
  admitted.suspendable = false;
  admitted.takes_turns = false;
  admitted.has_own_cost = job.cost.has_value();
  admitted.has_locks = false;
  admitted.reports_started = job.reports_started;
  add_running_locks(core, admitted.locks);
  return book_and_enter(core, slot, now);
}

std::variant<Queued, Refusal> enqueue(CoreState& core, PendingJob pending,
                                      const std::vector<JobId>& after, TimePoint now,
                                      std::optional<JobId> expected) {
  const JobId id = pending.id;
  const Points cost = pending.cost;
  if (const auto first = waiting_highlander(core, pending)) {
    discard(core, pending);
    return Queued{*first, true, 0, cost};
  }
  if (const auto refused = await(core, pending, after)) {
    discard(core, pending);
    return reject(core, *refused);
  }
  if (!expected) core.last_id = id.value;
  if (expected) core.dependencies.stop_expecting(id);
  pending.arrived = now;
  pending.arrival = ++core.last_arrival;
  pending.order = {static_cast<std::int64_t>(pending.arrival), 0};
  ++core.counters.submitted;
  add_pending(core, std::move(pending));
  return Queued{id, false, core.last_arrival, cost};
}

}  // namespace

Refusal reject(CoreState& core, Refusal refused) {
  ++core.counters.rejected[static_cast<std::size_t>(refused.code)];
  return refused;
}

std::variant<Admitted, Refusal> try_admit(CoreState& core, const JobRequest& job, TimePoint now) {
  auto result = is_plain(core, job)
                    ? try_admit_plain(core, job, now)
                    : try_admit_completed(core, complete(core.options.queueing, job), now);
  if (const auto* refused = std::get_if<Refusal>(&result)) {
    reject(core, *refused);
    record_refusal(core, *refused);
  } else {
    ++core.counters.submitted;
  }
  return result;
}

std::variant<Queued, Refusal> submit(CoreState& core, JobRequest job, TimePoint now,
                                     std::optional<JobId> expected) {
  const JobId id = expected.value_or(JobId{core.last_id + 1});
  const bool is_unmarked =
      !core.options.queueing.keys.empty() || job.queue.empty() || !job.priority || !job.inventory;
  if (is_unmarked) job = complete(core.options.queueing, std::move(job));
  const auto result = price(core, job, id);
  if (const auto* refused = std::get_if<Refusal>(&result)) return reject(core, *refused);
  const Priced& priced = std::get<Priced>(result);
  if (const auto refused = why_not_queued(core, job.parent, priced.cost)) {
    return reject(core, *refused);
  }
  const std::vector<JobId> after = job.after;
  return enqueue(core, prepare(core, std::move(job), id, priced.cost, priced.queue), after, now,
                 expected);
}

std::variant<Admitted, Queued, Refusal> admit_or_queue(CoreState& core, JobRequest job,
                                                       TimePoint now) {
  const JobId id{core.last_id + 1};
  job = complete(core.options.queueing, std::move(job));
  const auto result = price(core, job, id);
  if (const auto* refused = std::get_if<Refusal>(&result)) return reject(core, *refused);
  const Priced& priced = std::get<Priced>(result);
  const auto closed = why_closed(core);
  const bool is_child = core.running.place_of(job.parent).has_value();
  const std::vector<JobId> after = job.after;
  PendingJob candidate = prepare(core, std::move(job), id, priced.cost, priced.queue);
  const auto refused =
      closed && !is_child ? closed : why_not_now(core, candidate, after, closed, now);
  if (!refused) {
    ++core.counters.submitted;
    return start_now(core, std::move(candidate), now);
  }
  record_refusal(core, *refused);
  core.dependencies.forget(id);
  if (const auto unqueued = why_not_queued(core, candidate.parent, candidate.cost)) {
    discard(core, candidate);
    return reject(core, *unqueued);
  }
  const auto queued = enqueue(core, std::move(candidate), after, now, std::nullopt);
  if (const auto* rejected = std::get_if<Refusal>(&queued)) return *rejected;
  return std::get<Queued>(queued);
}

JobId expect(CoreState& core) {
  const JobId id{++core.last_id};
  core.dependencies.expect(id);
  return id;
}

std::optional<BadRequest> check(const CoreState& core, const JobRequest& job) {
  return problem_of(core, complete(core.options.queueing, job));
}

}  // namespace sluice

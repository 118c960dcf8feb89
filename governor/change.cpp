#include "governor/change.h"

#include <string>
#include <utility>

#include "governor/impossible.h"
#include "governor/nesting.h"
#include "governor/request_conversion.h"
#include "governor/validation/check_request.h"
#include "governor/waiting.h"

namespace sluice {
namespace {

std::optional<BadRequest> pending_only(const JobChange& change) {
  const auto bad = [](const char* field) {
    return BadRequest{field, "can be changed only while the job is pending; this one is running"};
  };
  if (change.priority) return bad("priority");
  if (change.queue) return bad("queue");
  if (change.position) return bad("position");
  if (change.frozen) return bad("frozen");
  if (change.nice) return bad("nice");
  return std::nullopt;
}

/// Replaces a pending job's request; its place in time stays.
void reindex(CoreState& core, std::uint32_t slot, const JobRequest& request, std::uint32_t queue,
             OrderNumber order, bool is_frozen) {
  unreserve_locks(core, slot);
  delist_highlander(core, (*core.pending)[slot]);
  delist_child(core, (*core.pending)[slot]);
  PendingJob after =
      prepare(core, request, (*core.pending)[slot].id, (*core.pending)[slot].cost, queue);
  PendingJob before = core.pending->remove(slot);
  discard(core, before);
  after.arrived = before.arrived;
  after.arrival = before.arrival;
  after.order = order;
  after.is_frozen = is_frozen;
  reserve_locks(core, add_pending(core, std::move(after)));
}

std::optional<BadRequest> set_pending(CoreState& core, std::uint32_t slot,
                                      const JobChange& change) {
  const PendingJob& job = (*core.pending)[slot];
  if (change.priority && !is_possible_priority(*change.priority)) {
    return BadRequest{"priority", "must be from -1000000 to 1000000"};
  }
  if (change.nice && (*change.nice < -20 || *change.nice > 19)) {
    return BadRequest{"nice", "must be from -20 to 19"};
  }
  JobRequest request = request_of(core, job);
  if (change.priority) request.priority = change.priority;
  if (change.queue) request.queue = *change.queue;
  if (change.nice) request.nice = change.nice;
  if (change.locks) request.locks = change.locks;
  if (change.global_lock) request.global_lock = *change.global_lock;
  if (auto bad = check_request(core.options.queueing, request)) return bad;
  const std::uint32_t queue = queue_for(core, request);
  if (change.queue) {
    if (const auto refused = refuse_for_good(core, request, job.cost, queue, job.id)) {
      return BadRequest{"queue", to_sentence(*refused)};
    }
  }
  OrderNumber order = job.order;
  if (change.position) {
    using Where = JobChange::Position::Where;
    const bool relative =
        change.position->where == Where::before || change.position->where == Where::after;
    const auto of = relative ? core.pending->find(change.position->of) : std::optional(slot);
    if (!of || (relative && (*of == slot || (*core.pending)[*of].queue != queue))) {
      return BadRequest{"position", "job " + std::to_string(change.position->of.value) +
                                        " is not another pending job of the same queue"};
    }
    const auto number = core.pending->number_at(slot, queue, change.position->where, *of);
    if (!number) return BadRequest{"position", "too many jobs were moved to this place"};
    order = *number;
  }
  reindex(core, slot, request, queue, order, change.frozen.value_or(job.is_frozen));
  return std::nullopt;
}

std::optional<BadRequest> set_running(CoreState& core, RunningJob& job, const JobChange& change) {
  if (auto bad = pending_only(change)) return bad;
  if (!change.locks && !change.global_lock) return std::nullopt;
  PendingJob& running = job.job;
  JobRequest request = request_of(core, running);
  if (change.locks) request.locks = change.locks;
  if (change.global_lock) request.global_lock = *change.global_lock;
  remove_running_locks(core, running.locks);
  core.contention->forget(running.locks);
  running.has_locks = request.locks.has_value();
  running.locks = core.contention->learn(request.locks, request.global_lock);
  add_running_locks(core, running.locks);
  return std::nullopt;
}

}  // namespace

std::optional<BadRequest> set(CoreState& core, JobId id, const JobChange& change, TimePoint now) {
  if (change.locks) {
    if (auto bad = check_locks(core.options.queueing.contention, *change.locks)) return bad;
  }
  reserve_locks_of_saturated(core, now);
  if (const auto slot = core.pending->find(id)) return set_pending(core, *slot, change);
  if (RunningJob* job = core.running.find(id)) return set_running(core, *job, change);
  return BadRequest{"id", "there is no pending or running job " + std::to_string(id.value)};
}

bool operate_queue(CoreState& core, std::string_view queue, Switch position) {
  const std::uint32_t number = core.queues.number_of(queue);
  if (number == core.queues.size()) return false;
  core.queues.pause(number, position == Switch::paused);
  return true;
}

}  // namespace sluice

#include <algorithm>
#include <cmath>

#include "reference/plain_core.h"
#include "reference/plain_locks.h"

// Changes made by hand: to jobs, queues and options.

namespace sluice::reference {

bool PlainCore::operate_queue(std::string_view queue, Switch position) {
  const std::string name(queue);
  if (!options_.queueing.queues.contains(name)) return false;
  if (position == Switch::paused) {
    paused_queues_.insert(name);
  } else {
    paused_queues_.erase(name);
  }
  return true;
}

std::optional<BadRequest> PlainCore::set(JobId id, const JobChange& change, TimePoint) {
  const auto runs = std::ranges::find(running_, id, &Job::id);
  if (runs != running_.end()) {
    if (change.priority || change.queue || change.position || change.frozen || change.nice) {
      return BadRequest{"id", "the job runs"};
    }
    if (change.locks) runs->request.locks = change.locks;
    runs->request.global_lock = change.global_lock.value_or(runs->request.global_lock);
    runs->locks = spread(options_.queueing.contention, runs->request.locks);
    return std::nullopt;
  }
  Job* job = find_pending(id);
  if (!job) return BadRequest{"id", "there is no such job"};
  Job changed = *job;
  changed.request.priority = change.priority.value_or(*job->request.priority);
  changed.request.queue = change.queue.value_or(job->request.queue);
  changed.frozen = change.frozen.value_or(job->frozen);
  if (change.nice) changed.request.nice = change.nice;
  if (change.locks) changed.request.locks = change.locks;
  changed.request.global_lock = change.global_lock.value_or(job->request.global_lock);
  changed.locks = spread(options_.queueing.contention, changed.request.locks);
  if (!options_.queueing.queues.contains(changed.request.queue)) {
    return BadRequest{"queue", "there is no such queue"};
  }
  changed.needs = needs_of(changed.request);
  if (change.queue && never(changed)) return BadRequest{"queue", "it could never run there"};
  if (!change.position) {
    *job = changed;
    return std::nullopt;
  }
  using Where = JobChange::Position::Where;
  const JobChange::Position position = *change.position;
  const bool beside = position.where == Where::before || position.where == Where::after;
  const Job* other = find_pending(position.of);
  if (beside && (!other || other->id == id || other->request.queue != changed.request.queue)) {
    return BadRequest{"position", "no such job of the same queue"};
  }
  changed.place = place_at(changed, position);
  *job = changed;
  return std::nullopt;
}

/// A number between those of its new neighbours in its queue; unchanged if it is already there.
/// Behind all present jobs is still ahead of later ones, which get larger whole numbers.
double PlainCore::place_at(const Job& job, const JobChange::Position& position) const {
  using Where = JobChange::Position::Where;
  const Job* beside = find(position.of);
  std::optional<double> below, above;
  for (const Job& other : pending_) {
    if (other.id == job.id || other.request.queue != job.request.queue) continue;
    const bool is_below = position.where == Where::back ||
                          (position.where == Where::before && other.place < beside->place) ||
                          (position.where == Where::after && other.place <= beside->place);
    if (is_below) below = std::max(below.value_or(other.place), other.place);
    if (!is_below) above = std::min(above.value_or(other.place), other.place);
  }
  const bool is_there = (!below || *below < job.place) && (!above || job.place < *above);
  if (is_there) return job.place;
  // Never a whole number: those belong to arrivals.
  if (!below) return std::floor(*above) - 1 + 1e-6;
  return (*below + above.value_or(std::floor(*below) + 1)) / 2;
}

/// Running jobs keep what they hold. The new options apply to pending jobs, which end if a rule
/// rejects them.
void PlainCore::reload(GovernorOptions options) {
  options_ = std::move(options);
  for (std::vector<Job>* jobs : {&pending_, &running_}) {
    for (Job& job : *jobs) {
      job.locks = spread(options_.queueing.contention, job.request.locks);
    }
  }
  std::vector<JobId> rejected;
  for (Job& job : pending_) {
    job.needs = needs_of(job.request);
    const RuleOptions* rule = applying_rule(job);
    if (rule && rule->action == RuleOptions::Action::reject) rejected.push_back(job.id);
  }
  for (const JobId id : rejected) {
    const Job* job = find_pending(id);
    if (!job) continue;
    ended_.push_back({id, refusal(*job, RefusalCode::rule, name_of(*applying_rule(*job)))});
    cancel(id);
  }
}

}  // namespace sluice::reference

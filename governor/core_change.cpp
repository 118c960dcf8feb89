#include <algorithm>
#include <utility>

#include "governor/core.h"
#include "governor/definitions.h"
#include "governor/rules.h"

namespace sluice {
namespace {

constexpr int kMostPriority = 1'000'000;

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

}  // namespace

std::optional<BadRequest> Core::set(JobId id, const JobChange& change, TimePoint now) {
  if (change.locks) {
    if (auto bad = check_locks(options_.queueing.contention, *change.locks)) return bad;
  }
  saturate(now);
  if (const auto slot = pending_->find(id)) return set_pending(*slot, change);
  if (RunningJob* job = find_running(id)) return set_running(*job, change);
  return BadRequest{"id", "there is no pending or running job " + std::to_string(id.value)};
}

std::optional<BadRequest> Core::set_running(RunningJob& job, const JobChange& change) {
  if (auto bad = pending_only(change)) return bad;
  if (!change.locks && !change.global_lock) return std::nullopt;
  PendingJob& running = job.job;
  JobRequest request = request_of(running);
  if (change.locks) request.locks = change.locks;
  if (change.global_lock) request.global_lock = *change.global_lock;
  locks_finished(running.locks);
  contention_->forget(running.locks);
  running.has_locks = request.locks.has_value();
  running.locks = contention_->learn(request.locks, request.global_lock);
  locks_started(running.locks);
  return std::nullopt;
}

std::optional<BadRequest> Core::set_pending(std::uint32_t slot, const JobChange& change) {
  const PendingJob& job = (*pending_)[slot];
  if (change.priority && std::abs(std::int64_t{*change.priority}) > kMostPriority) {
    return BadRequest{"priority", "must be from -1000000 to 1000000"};
  }
  if (change.nice && (*change.nice < -20 || *change.nice > 19)) {
    return BadRequest{"nice", "must be from -20 to 19"};
  }
  JobRequest request = request_of(job);
  if (change.priority) request.priority = change.priority;
  if (change.queue) request.queue = *change.queue;
  if (change.nice) request.nice = change.nice;
  if (change.locks) request.locks = change.locks;
  if (change.global_lock) request.global_lock = *change.global_lock;
  if (auto bad = check_request(options_.queueing, request)) return bad;
  const std::uint32_t queue = queue_number(request.queue);
  if (change.queue) {
    if (const auto refused = refuse_for_good(request, job.cost, queue, job.id)) {
      return BadRequest{"queue", to_sentence(*refused)};
    }
  }
  OrderNumber order = job.order;
  if (change.position) {
    using Where = JobChange::Position::Where;
    const bool relative =
        change.position->where == Where::before || change.position->where == Where::after;
    const auto of = relative ? pending_->find(change.position->of) : std::optional(slot);
    if (!of || (relative && (*of == slot || (*pending_)[*of].queue != queue))) {
      return BadRequest{"position", "job " + std::to_string(change.position->of.value) +
                                        " is not another pending job of the same queue"};
    }
    const auto number = pending_->number_at(slot, queue, change.position->where, *of);
    if (!number) return BadRequest{"position", "too many jobs were moved to this place"};
    order = *number;
  }
  reindex(slot, request, queue, order, change.frozen.value_or(job.is_frozen));
  return std::nullopt;
}

/// Replaces a pending job's request; its place in time stays.
void Core::reindex(std::uint32_t slot, const JobRequest& request, std::uint32_t queue,
                   OrderNumber order, bool is_frozen) {
  unreserve_locks(slot);
  delist_highlander((*pending_)[slot]);
  delist_child((*pending_)[slot]);
  PendingJob after = prepare(request, (*pending_)[slot].id, (*pending_)[slot].cost, queue);
  PendingJob before = pending_->remove(slot);
  discard(before);
  after.arrived = before.arrived;
  after.arrival = before.arrival;
  after.order = order;
  after.is_frozen = is_frozen;
  after.parked = parked_of(after);
  enlist_highlander(after);
  enlist_child(after);
  reserve_locks(pending_->add(std::move(after)));
}

Parked Core::parked_of(const PendingJob& job) const {
  if (job.is_frozen) return Parked::frozen;
  if (waits_.contains(job.id.value)) return Parked::dependency;
  return job.rule != 0 ? Parked::rule : Parked::no;
}

void Core::park(std::uint32_t slot) {
  const Parked parked = parked_of((*pending_)[slot]);
  if (parked == (*pending_)[slot].parked) return;
  unreserve_locks(slot);
  pending_->update(slot, [&](PendingJob& job) { job.parked = parked; });
  reserve_locks(slot);
}

bool Core::operate_queue(std::string_view queue, Switch position) {
  const std::uint32_t number = queue_number(queue);
  if (number == queues_.size()) return false;
  queues_[number].paused = position == Switch::paused;
  return true;
}

std::optional<BadRequest> Core::check_reload(const QueueingOptions& options) const {
  const auto& levels = options.contention.levels;
  const auto check = [&](const JobRequest& job, JobId id) -> std::optional<BadRequest> {
    const std::string who = " is still needed by job " + std::to_string(id.value);
    if (!options.queues.contains(job.queue)) {
      return BadRequest{"queues." + job.queue, "queue " + job.queue + who};
    }
    for (const ResourceDemand& demand : job.resources) {
      if (options.resources.contains(demand.manager)) continue;
      return BadRequest{"resources." + demand.manager, "manager " + demand.manager + who};
    }
    for (const LevelLocks& locks : job.locks ? *job.locks : std::vector<LevelLocks>{}) {
      if (std::find(levels.begin(), levels.end(), locks.level) != levels.end()) continue;
      return BadRequest{"contention.levels", "lock level " + locks.level + who};
    }
    return std::nullopt;
  };
  for (const RunningJob& job : running_) {
    if (!job.in_use) continue;
    if (auto bad = check(request_of(job.job), job.job.id)) return bad;
  }
  const ArrivalList& jobs = pending_->by_arrival();
  for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
    const PendingJob& job = (*pending_)[jobs.at(at).slot];
    if (auto bad = check(request_of(job), job.id)) return bad;
  }
  for (const ResourceStatus& manager : resources_.status()) {
    if (options.resources.contains(manager.key) || !resources_.in_use(manager.key)) continue;
    return BadRequest{"resources." + manager.key,
                      "manager " + manager.key + " is still held by running jobs"};
  }
  return std::nullopt;
}

void Core::set_queues(const QueueingOptions& before) {
  for (Queue& queue : queues_) queue.there = false;
  for (const auto& [name, options] : options_.queueing.queues) {
    auto found =
        std::find_if(queues_.begin(), queues_.end(),
                     [&, &wanted = name](const Queue& each) { return each.name == wanted; });
    if (found == queues_.end()) {
      queues_.emplace_back().name = keep_name(name);
      found = std::prev(queues_.end());
    }
    const auto old = before.queues.find(name);
    const bool changed = old == before.queues.end() || old->second.paused != options.paused;
    if (changed) found->paused = options.paused;
    found->options = options;
    found->there = true;
  }
  const bool has_default = options_.queueing.queues.contains("default");
  default_queue_ = queue_number(has_default ? "default" : options_.queueing.queues.begin()->first);
}

void Core::rebuild(TimePoint now) {
  const QueueingOptions& queueing = options_.queueing;
  struct Waiting {
    PendingJob job;
    JobRequest request;
  };
  std::vector<Waiting> waiting;
  if (pending_) {
    std::vector<std::uint32_t> slots;
    const ArrivalList& jobs = pending_->by_arrival();
    for (auto at = jobs.begin(); !jobs.at_end(at); at = jobs.next(at)) {
      slots.push_back(jobs.at(at).slot);
    }
    for (const std::uint32_t slot : slots) {
      JobRequest request = request_of((*pending_)[slot]);
      PendingJob job = pending_->remove(slot);
      discard(job);
      waiting.push_back({std::move(job), std::move(request)});
    }
  }
  // Converted back with the old names and levels, before those are dropped.
  std::vector<JobRequest> still_running(running_.size());
  for (std::size_t at = 0; at < running_.size(); ++at) {
    if (running_[at].in_use) still_running[at] = request_of(running_[at].job);
  }
  rule_names_.clear();
  for (std::size_t rule = 0; rule < queueing.rules.size(); ++rule) {
    rule_names_.push_back(keep_name("rules[" + std::to_string(rule) + "]"));
  }
  level_names_.clear();
  for (const std::string& level : queueing.contention.levels) {
    level_names_.push_back(keep_name(level));
  }
  const ContentionOptions& contention = queueing.contention;
  contention_ = std::make_unique<Contention>(contention);
  pending_ = std::make_unique<PendingQueue>(
      // Without weights, age does not affect the order, not even across priorities.
      Ranking{contention.mode, contention.tick, contention.aging_ticks,
              contention.boosts_priority && contention.mode != ContentionMode::off},
      *contention_);
  lock_reservations_.reset();
  if (contention.mode == ContentionMode::hold) lock_reservations_.emplace(contention);
  reserving_.clear();
  highlanders_.clear();
  saturated_up_to_ = 0;
  const bool ages = contention.mode != ContentionMode::off;
  boundaries_.assign(ages ? static_cast<std::size_t>(contention.aging_ticks.value_or(0)) : 0,
                     Boundary{TimePoint::max(), 0});
  if (queues_.empty()) set_queues({});
  plain_locks_ = contention_->learn(std::nullopt, false);
  for (std::size_t at = 0; at < still_running.size(); ++at) {
    if (!running_[at].in_use) continue;
    PendingJob& job = running_[at].job;
    const JobRequest& request = still_running[at];
    job.locks = contention_->learn(request.locks, request.global_lock);
    locks_started(job.locks);
    limits_.finish(job.limits);
    limits_.forget(job.limits);
    job.limits = limits_.learn(limits_of(request, job.id));
    limits_.start(job.limits);
  }
  std::vector<JobId> rejected;
  for (Waiting& each : waiting) {
    const JobId id = each.job.id;
    if (!readmit(std::move(each.job), std::move(each.request))) rejected.push_back(id);
  }
  for (const JobId id : rejected) over(id, End::badly);
  for (std::size_t tick = 0; tick < boundaries_.size(); ++tick) {
    boundaries_[tick] = boundary_after(tick + 1, now);
  }
}

/// Requeues a pending job under the new options; false if a rule rejects it now.
bool Core::readmit(PendingJob before, JobRequest request) {
  const std::uint32_t queue = queue_number(request.queue);
  const auto rule = applying_rule(options_.queueing.rules, request, before.id);
  if (rule && options_.queueing.rules[*rule].action == RuleOptions::Action::reject) {
    ended_.push_back({before.id, refusal(RefusalCode::rule, rule_names_[*rule], before.cost)});
    ++counters_.cancelled;
    delist_child(before);
    waits_.erase(before.id.value);
    told_.erase(before.id.value);
    return false;
  }
  PendingJob job = prepare(std::move(request), before.id, before.cost, queue);
  job.arrived = before.arrived;
  job.arrival = before.arrival;
  job.order = before.order;
  job.is_frozen = before.is_frozen;
  job.parked = parked_of(job);
  enlist_highlander(job);
  enlist_child(job);
  pending_->add(std::move(job));
  return true;
}

Core::RunningJob* Core::find_running(JobId id) {
  return const_cast<RunningJob*>(std::as_const(*this).find_running(id));
}

const Core::RunningJob* Core::find_running(JobId id) const {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const auto& job) { return job.in_use && job.job.id == id; });
  return found == running_.end() ? nullptr : &*found;
}

std::string_view Core::keep_name(std::string_view name) {
  const auto found = names_.find(name);
  return found != names_.end() ? std::string_view(*found)
                               : std::string_view(*names_.emplace(name).first);
}

}  // namespace sluice

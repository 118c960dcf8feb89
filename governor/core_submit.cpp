#include <algorithm>
#include <utility>

#include "governor/core.h"
#include "governor/definitions.h"
#include "governor/rules.h"

namespace sluice {

/// Whether the job asks for points only: most do, and need a fast answer.
bool Core::is_plain(const JobRequest& job) const {
  const QueueingOptions& queueing = options_.queueing;
  return queueing.keys.empty() && queueing.rules.empty() && job.queue.empty() && !job.locks &&
         !job.global_lock && queueing.contention.undeclared == Undeclared::none &&
         job.resources.empty() && job.after.empty() && job.reasons.empty() && !job.memory &&
         !job.nice && !job.measured && !job.suspendable && job.program.empty() &&
         job.variant.empty() && job.params.empty() && job.parent == JobId{} &&
         queues_[default_queue_].options.resources.empty() && !queues_[default_queue_].paused &&
         !lock_reservations_;
}

std::variant<Admitted, Refusal> Core::try_admit(const JobRequest& job, TimePoint now) {
  auto result = is_plain(job) ? try_admit_plain(job, now)
                              : try_admit_completed(complete(options_.queueing, job), now);
  if (const auto* refused = std::get_if<Refusal>(&result)) {
    ++counters_.rejected[static_cast<std::size_t>(refused->code)];
    refused_ = refused_ || refused->code == RefusalCode::window;
  } else {
    ++counters_.submitted;
  }
  return result;
}

std::variant<Admitted, Refusal> Core::try_admit_plain(const JobRequest& job, TimePoint now) {
  const Prediction prediction = cost_model_(job);
  if (prediction.memory && reservation_.is_in_force()) return try_admit_completed(job, now);
  const Points cost = job.cost ? cost_of(job) : cost_from(prediction);
  if (cost > options_.window.maximum) return impossible(cost);
  const std::optional<Refusal> refused = refuse(room(), cost);
  if (refused && refused->code != RefusalCode::window) return *refused;
  if (!pending_->empty()) {
    const auto first = front(now);
    if (first && first->priority >= job.priority.value_or(0)) {
      Refusal behind = refusal(RefusalCode::behind, "behind", cost);
      behind.ahead = first->id;
      return behind;
    }
  }
  if (refused) return *refused;
  const std::uint32_t slot = free_slot();
  // Assigned one by one: strings keep the memory of the previous job in this slot.
  PendingJob& admitted = running_[slot].job;
  admitted.id = JobId{++last_id_};
  admitted.parent = {};
  admitted.arrived = now;
  admitted.cost = cost;
  admitted.name = job.id;
  admitted.key = job.key;
  admitted.locks.shape = plain_locks_.shape;
  admitted.locks.names.clear();
  admitted.rest.reset();
  admitted.priority = job.priority.value_or(0);
  admitted.inventory = job.inventory.value_or(1);
  admitted.queue = default_queue_;
  admitted.needs = 0;
  admitted.limits = 0;
  admitted.program = admitted.variant = 0;
  admitted.user = job.user.empty() ? 0 : users_.learn(job.user);
  admitted.measured = false;
  admitted.suspendable = false;
  admitted.has_own_cost = job.cost.has_value();
  admitted.has_locks = false;
  admitted.reports_started = job.reports_started;
  locks_started(admitted.locks);
  return run(slot, now);
}

std::variant<Core::Priced, Refusal> Core::price(const JobRequest& job, JobId id) {
  if (const auto bad = check_request(options_.queueing, job)) {
    return refusal(RefusalCode::invalid, keep_name(bad->field), Points{0});
  }
  const Priced priced{cost_of(job), queue_number(job.queue)};
  if (const auto refused = refuse_for_good(job, priced.cost, priced.queue, id)) return *refused;
  return priced;
}

std::variant<Admitted, Refusal> Core::try_admit_completed(const JobRequest& job, TimePoint now) {
  const JobId id{last_id_ + 1};
  const auto result = price(job, id);
  if (const auto* refused = std::get_if<Refusal>(&result)) return *refused;
  const Priced& priced = std::get<Priced>(result);
  const auto closed = why_closed();
  if (closed && !place_of(job.parent)) {
    Refusal refused = *closed;
    refused.cost = priced.cost;
    return refused;
  }
  PendingJob candidate = prepare(job, id, priced.cost, priced.queue);
  if (const auto refused = why_not_now(candidate, job.after, closed, now)) {
    waits_.erase(id.value);
    discard(candidate);
    return *refused;
  }
  return start_now(std::move(candidate), now);
}

std::optional<Refusal> Core::why_not_now(PendingJob& candidate, const std::vector<JobId>& after,
                                         const std::optional<Refusal>& closed, TimePoint now) {
  charge_all(now);
  candidate.arrived = now;
  candidate.arrival = last_arrival_ + 1;
  std::optional<Refusal> refused = await(candidate, after);
  if (!refused) refused = ineligible(candidate);
  const bool has_elders = waiting_children_.contains(candidate.parent);
  const auto on_permit = refused || has_elders || is_short_of_managers(candidate)
                             ? std::nullopt
                             : room_on_permit(candidate, predict(candidate));
  if (on_permit) {
    candidate.cost = *on_permit;
    return std::nullopt;
  }
  const Points cost = candidate.cost;
  if (!refused && closed) refused = refusal(closed->code, closed->binding, cost);
  if (!refused) refused = kept_from_window(candidate);
  if (const auto first = refused ? std::nullopt : front(now);
      first && first->priority >= candidate.priority) {
    refused = refusal(RefusalCode::behind, "behind", cost);
    refused->ahead = first->id;
  }
  if (!refused) refused = shortage_of(candidate, now);
  return refused;
}

Admitted Core::start_now(PendingJob candidate, TimePoint now) {
  last_id_ = std::max(last_id_, candidate.id.value);
  locks_started(candidate.locks);
  const std::uint32_t slot = free_slot();
  running_[slot].job = std::move(candidate);
  return run(slot, now);
}

std::optional<Refusal> Core::refuse_for_good(const JobRequest& job, Points cost,
                                             std::uint32_t queue, JobId id) const {
  if (cost > options_.window.maximum) return impossible(cost);
  for (const ResourceNeed& need : resources_.needs_of(job, queues_[queue].options)) {
    const Resources::Standing standing = resources_.standing(need, job.key);
    if (!standing.is_impossible) continue;
    Refusal refused = refusal(RefusalCode::impossible, standing.manager, cost);
    refused.needs = standing.needs;
    refused.free = standing.free;
    refused.total = standing.total;
    return refused;
  }
  const auto machine = reservation_.machine();
  if (job.memory && machine && *job.memory > *machine) {
    Refusal refused = refusal(RefusalCode::impossible, "memory", cost);
    refused.needs = static_cast<std::int64_t>(job.memory->value);
    refused.free = refused.total = static_cast<std::int64_t>(machine->value);
    return refused;
  }
  const auto rule = applying_rule(options_.queueing.rules, job, id);
  if (rule && options_.queueing.rules[*rule].action == RuleOptions::Action::reject) {
    return refusal(RefusalCode::rule, rule_names_[*rule], cost);
  }
  return std::nullopt;
}

std::variant<Queued, Refusal> Core::submit(JobRequest job, TimePoint now,
                                           std::optional<JobId> expected) {
  const JobId id = expected.value_or(JobId{last_id_ + 1});
  const bool is_unmarked =
      !options_.queueing.keys.empty() || job.queue.empty() || !job.priority || !job.inventory;
  if (is_unmarked) job = complete(options_.queueing, std::move(job));
  const auto result = price(job, id);
  if (const auto* refused = std::get_if<Refusal>(&result)) return reject(*refused);
  const Priced& priced = std::get<Priced>(result);
  if (operated_ == Switch::draining && !place_of(job.parent)) {
    Refusal refused = *why_closed();
    refused.cost = priced.cost;
    return reject(refused);
  }
  if (pending_->size() >= options_.max_pending) {
    return reject(refusal(RefusalCode::max_pending, "max_pending", priced.cost));
  }
  const std::vector<JobId> after = job.after;
  return enqueue(prepare(std::move(job), id, priced.cost, priced.queue), after, now, expected);
}

std::variant<Admitted, Queued, Refusal> Core::admit_or_queue(JobRequest job, TimePoint now) {
  const JobId id{last_id_ + 1};
  job = complete(options_.queueing, std::move(job));
  const auto result = price(job, id);
  if (const auto* refused = std::get_if<Refusal>(&result)) return reject(*refused);
  const Priced& priced = std::get<Priced>(result);
  const auto closed = why_closed();
  const bool is_child = place_of(job.parent).has_value();
  if (operated_ == Switch::draining && !is_child) {
    Refusal refused = *closed;
    refused.cost = priced.cost;
    return reject(refused);
  }
  const std::vector<JobId> after = job.after;
  PendingJob candidate = prepare(std::move(job), id, priced.cost, priced.queue);
  const auto refused = closed && !is_child ? closed : why_not_now(candidate, after, closed, now);
  if (!refused) {
    ++counters_.submitted;
    return start_now(std::move(candidate), now);
  }
  refused_ = refused_ || refused->code == RefusalCode::window;
  waits_.erase(id.value);
  if (pending_->size() >= options_.max_pending) {
    discard(candidate);
    return reject(refusal(RefusalCode::max_pending, "max_pending", priced.cost));
  }
  const auto queued = enqueue(std::move(candidate), after, now, std::nullopt);
  if (const auto* rejected = std::get_if<Refusal>(&queued)) return *rejected;
  return std::get<Queued>(queued);
}

Refusal Core::reject(Refusal refused) {
  ++counters_.rejected[static_cast<std::size_t>(refused.code)];
  return refused;
}

std::variant<Queued, Refusal> Core::enqueue(PendingJob pending, const std::vector<JobId>& after,
                                            TimePoint now, std::optional<JobId> expected) {
  const JobId id = pending.id;
  const Points cost = pending.cost;
  if (const auto first = waiting_highlander(pending)) {
    discard(pending);
    return Queued{*first, true, 0, cost};
  }
  if (const auto refused = await(pending, after)) {
    discard(pending);
    return reject(*refused);
  }
  if (!expected) last_id_ = id.value;
  if (expected) awaited_[id.value].expected = false;
  pending.arrived = now;
  pending.arrival = ++last_arrival_;
  pending.order = {static_cast<std::int64_t>(pending.arrival), 0};
  pending.parked = parked_of(pending);
  ++counters_.submitted;
  note_boundaries(pending);
  enlist_highlander(pending);
  enlist_child(pending);
  const std::uint64_t arrival = pending.arrival;
  pending_->add(std::move(pending));
  return Queued{id, false, arrival, cost};
}

JobId Core::expect() {
  const JobId id{++last_id_};
  awaited_[id.value].expected = true;
  return id;
}

void Core::give_up(JobId expected) {
  awaited_[expected.value].expected = false;
  over(expected, End::badly);
}

std::optional<BadRequest> Core::check(const JobRequest& job) const {
  const JobRequest completed = complete(options_.queueing, job);
  if (auto bad = check_request(options_.queueing, completed)) return bad;
  for (const JobId id : job.after) {
    const bool is_known = id.value > 0 && id.value <= last_id_;
    if (!is_known) return BadRequest{"after", "there is no job " + std::to_string(id.value)};
  }
  return std::nullopt;
}

PendingJob Core::prepare(JobRequest job, JobId id, Points cost, std::uint32_t queue) {
  PendingJob pending;
  pending.id = id;
  pending.parent = job.parent;
  pending.cost = cost;
  pending.queue = queue;
  pending.priority = job.priority.value_or(0);
  pending.inventory = job.inventory.value_or(1);
  pending.has_own_cost = job.cost.has_value();
  pending.has_locks = job.locks.has_value();
  pending.reports_started = job.reports_started;
  pending.locks = contention_->learn(job.locks, job.global_lock);

  Needs needs;
  needs.resources = resources_.needs_of(job, queues_[queue].options);
  const bool counts_key =
      std::any_of(needs.resources.begin(), needs.resources.end(),
                  [&](const ResourceNeed& need) { return resources_.is_highlander(need.manager); });
  if (counts_key) needs.key = job.key;
  if (!needs.resources.empty()) pending.needs = needs_.learn(std::move(needs));

  if (const auto rule = applying_rule(options_.queueing.rules, job, id);
      rule && options_.queueing.rules[*rule].action == RuleOptions::Action::pause) {
    pending.rule = static_cast<std::uint32_t>(*rule) + 1;
  }
  pending.limits = limits_.learn(limits_of(job, id));

  pending.program = programs_.learn(std::move(job.program));
  pending.variant = variants_.learn(std::move(job.variant));
  pending.user = users_.learn(std::move(job.user));
  pending.measured = job.measured;
  pending.suspendable = job.suspendable;
  pending.name = std::move(job.id);
  pending.key = std::move(job.key);
  const bool says_more = job.nice || job.memory || !job.resources.empty() || !job.after.empty() ||
                         !job.reasons.empty() || !job.params.empty() ||
                         job.on_failure != OnFailure::cancel;
  if (says_more) {
    job.locks.reset();
    pending.rest = std::make_unique<JobRequest>(std::move(job));
  }
  return pending;
}

std::vector<RateLimit> Core::limits_of(const JobRequest& job, JobId id) const {
  std::vector<RateLimit> limits;
  const auto& rules = options_.queueing.rules;
  if (const auto rule = applying_rule(rules, job, id);
      rule && rules[*rule].action == RuleOptions::Action::rate_limit) {
    limits.push_back({std::string(rule_names_[*rule]), rules[*rule].n});
  }
  for (RateLimit& limit : rate_limits_of(job.reasons)) limits.push_back(std::move(limit));
  return limits;
}

void Core::discard(const PendingJob& job) {
  contention_->forget(job.locks);
  needs_.forget(job.needs);
  limits_.forget(job.limits);
  programs_.forget(job.program);
  variants_.forget(job.variant);
  users_.forget(job.user);
}

JobRequest Core::request_of(const PendingJob& job) const {
  JobRequest request = job.rest ? *job.rest : JobRequest{};
  request.id = job.name;
  request.key = job.key;
  request.parent = job.parent;
  request.program = programs_[job.program];
  request.variant = variants_[job.variant];
  request.user = users_[job.user];
  request.measured = job.measured;
  request.suspendable = job.suspendable;
  request.queue = queues_[job.queue].name;
  request.priority = job.priority;
  request.inventory = job.inventory;
  request.cost = job.has_own_cost ? std::optional(job.cost) : std::nullopt;
  request.reports_started = job.reports_started;
  request.global_lock = contention_->shape(job.locks.shape).global;
  if (job.has_locks) request.locks = contention_->tell(job.locks);
  return request;
}

std::uint32_t Core::queue_number(std::string_view name) const {
  const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& queue) {
    return queue.there && queue.name == name;
  });
  return static_cast<std::uint32_t>(found - queues_.begin());
}

/// At most one job per highlander and key waits.
std::optional<JobId> Core::waiting_highlander(const PendingJob& job) const {
  if (job.needs == 0) return std::nullopt;
  Needs needs = needs_[job.needs];
  needs.resources = needs_beyond_parents(job, std::move(needs.resources));
  for (const ResourceNeed& need : needs.resources) {
    if (!resources_.is_highlander(need.manager)) continue;
    const auto found = highlanders_.find({need.manager, needs.key});
    if (found != highlanders_.end()) return *found->second.begin();
  }
  return std::nullopt;
}

void Core::enlist_highlander(const PendingJob& job) {
  if (job.needs == 0) return;
  const Needs& needs = needs_[job.needs];
  for (const ResourceNeed& need : needs.resources) {
    if (resources_.is_highlander(need.manager)) {
      highlanders_[{need.manager, needs.key}].insert(job.id);
    }
  }
}

void Core::delist_highlander(const PendingJob& job) {
  if (job.needs == 0) return;
  const Needs& needs = needs_[job.needs];
  for (const ResourceNeed& need : needs.resources) {
    const auto found = highlanders_.find({need.manager, needs.key});
    if (found == highlanders_.end()) continue;
    found->second.erase(job.id);
    if (found->second.empty()) highlanders_.erase(found);
  }
}

}  // namespace sluice

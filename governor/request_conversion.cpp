#include "governor/request_conversion.h"

#include <algorithm>
#include <utility>

namespace sluice {

std::optional<Refusal> refused_by_rule(const CoreState& core, const JobRequest& job, JobId id,
                                       Points cost) {
  const auto& rules = core.options.queueing.rules;
  const auto rule = applying_rule(rules, job, id);
  if (!rule || rules[*rule].action != RuleOptions::Action::reject) return std::nullopt;
  return core.refusal(RefusalCode::rule, core.rule_names[*rule], cost);
}

std::vector<RateLimit> limits_of(const CoreState& core, const JobRequest& job, JobId id) {
  std::vector<RateLimit> limits;
  const auto& rules = core.options.queueing.rules;
  if (const auto rule = applying_rule(rules, job, id);
      rule && rules[*rule].action == RuleOptions::Action::rate_limit) {
    limits.push_back({std::string(core.rule_names[*rule]), rules[*rule].n});
  }
  for (RateLimit& limit : rate_limits_of(job.reasons)) limits.push_back(std::move(limit));
  return limits;
}

std::uint32_t queue_for(CoreState& core, const JobRequest& job) {
  return core.queues.number_for(job.queue, job.user, core.names, [&core](std::uint32_t queue) {
    return core.queues[queue].running == 0 && core.pending->size_of(queue) == 0;
  });
}

PendingJob prepare(CoreState& core, JobRequest job, JobId id, Points cost, std::uint32_t queue) {
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
  pending.locks = core.contention->learn(job.locks, job.global_lock);

  Needs needs;
  needs.resources = core.resources.needs_of(job, core.queues[queue].options);
  const bool counts_key = std::any_of(
      needs.resources.begin(), needs.resources.end(),
      [&](const ResourceNeed& need) { return core.resources.is_highlander(need.manager); });
  if (counts_key) needs.key = job.key;
  if (!needs.resources.empty()) pending.needs = core.needs.learn(std::move(needs));

  if (const auto rule = applying_rule(core.options.queueing.rules, job, id);
      rule && core.options.queueing.rules[*rule].action == RuleOptions::Action::pause) {
    pending.rule = static_cast<std::uint32_t>(*rule) + 1;
  }
  pending.limits = core.limits.learn(limits_of(core, job, id));

  pending.program = core.programs.learn(std::move(job.program));
  pending.variant = core.variants.learn(std::move(job.variant));
  pending.user = core.users.learn(std::move(job.user));
  pending.measured = job.measured;
  pending.suspendable = job.suspendable;
  pending.takes_turns = job.takes_turns;
  pending.name = std::move(job.id);
  pending.key = std::move(job.key);
  const bool says_more = job.nice || job.memory || !job.resources.empty() || !job.after.empty() ||
                         !job.reasons.empty() || !job.params.empty() ||
                         job.on_failure != OnFailure::cancel ||
                         // A branch for which there was no room; rules go by it.
                         (!job.queue.empty() && job.queue != core.queues[queue].name);
  if (says_more) {
    job.locks.reset();
    pending.rest = std::make_unique<JobRequest>(std::move(job));
  }
  return pending;
}

void discard(CoreState& core, const PendingJob& job) {
  core.contention->forget(job.locks);
  core.needs.forget(job.needs);
  core.limits.forget(job.limits);
  core.programs.forget(job.program);
  core.variants.forget(job.variant);
  core.users.forget(job.user);
}

void copy_predicted_by(const CoreState& core, const PendingJob& job, JobRequest& request) {
  request.key = job.key;
  request.program = core.programs[job.program];
  request.variant = core.variants[job.variant];
  request.user = core.users[job.user];
  request.measured = job.measured;
  request.suspendable = job.suspendable;
  request.takes_turns = job.takes_turns;
  request.inventory = job.inventory;
}

JobRequest request_of(const CoreState& core, const PendingJob& job) {
  JobRequest request = job.rest ? *job.rest : JobRequest{};
  request.id = job.name;
  request.parent = job.parent;
  copy_predicted_by(core, job, request);
  if (request.queue.empty()) request.queue = core.queues[job.queue].name;
  request.priority = job.priority;
  request.cost = job.has_own_cost ? std::optional(job.cost) : std::nullopt;
  request.reports_started = job.reports_started;
  request.global_lock = core.contention->shape(job.locks.shape).global;
  if (job.has_locks) request.locks = core.contention->tell(job.locks);
  return request;
}

}  // namespace sluice

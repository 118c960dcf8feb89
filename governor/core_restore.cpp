// Jobs of an earlier governor, restored as they were.
#include <algorithm>
#include <utility>

#include "governor/core.h"
#include "governor/definitions.h"
#include "governor/rules.h"

namespace sluice {

std::vector<Core::RestoreResult> Core::restore(GovernorSnapshot life, TimePoint now) {
  last_id_ = std::max(last_id_, life.last.value);
  for (const JobId failed : life.failed) failed_.insert(failed);
  std::unordered_set<std::uint64_t> alive;
  for (const JobSnapshot& job : life.jobs) alive.insert(job.id.value);
  std::vector<RestoreResult> taken;
  taken.reserve(life.jobs.size());
  for (JobSnapshot& job : life.jobs) {
    const JobId id = job.id;
    last_id_ = std::max(last_id_, id.value);
    if (job.admitted) {
      taken.emplace_back(adopt(std::move(job), now));
      continue;
    }
    std::vector<JobId> after = job.request.after;
    // Neither alive nor failed: it ended ok.
    std::erase_if(
        after, [&](JobId each) { return !alive.contains(each.value) && !failed_.contains(each); });
    auto queued = requeue(std::move(job), after, now);
    if (const auto* refused = std::get_if<Refusal>(&queued)) {
      taken.emplace_back(*refused);
      over(id, End::badly);
    } else {
      taken.emplace_back(std::get<Queued>(queued));
    }
  }
  return taken;
}

JobRequest Core::completed(JobRequest job) const {
  return complete(options_.queueing, std::move(job));
}

/// A running job cannot be refused: drops what the configuration no longer has.
JobRequest Core::fitted(JobRequest job) const {
  const QueueingOptions& queueing = options_.queueing;
  if (!queueing.queues.contains(job.queue)) job.queue = queues_[default_queue_].name;
  std::erase_if(job.resources, [&](const ResourceDemand& demand) {
    return !queueing.resources.contains(demand.manager);
  });
  if (!job.locks) return job;
  const auto& levels = queueing.contention.levels;
  std::erase_if(*job.locks, [&](const LevelLocks& locks) {
    return std::find(levels.begin(), levels.end(), locks.level) == levels.end();
  });
  return job;
}

Admitted Core::adopt(JobSnapshot former, TimePoint now) {
  const JobRequest request = fitted(std::move(former.request));
  PendingJob job = prepare(request, former.id, std::clamp(former.cost, Points{1}, kMostPoints),
                           queue_number(request.queue));
  job.arrived = std::min(former.arrived, now);
  locks_started(job.locks);
  const std::uint32_t slot = free_slot();
  RunningJob& running = running_[slot];
  running.job = std::move(job);
  claim_needs(running);
  running.items = resources_.adopt(running.needs, running.job.key, running.job.id, former.items);
  ++counters_.submitted;
  Admitted admitted = enter(slot, std::min(*former.admitted, now));
  if (!former.starting) started(slot);
  return admitted;
}

std::variant<Queued, Refusal> Core::requeue(JobSnapshot former, const std::vector<JobId>& after,
                                            TimePoint now) {
  const auto reject = [&](const Refusal& refused) {
    ++counters_.rejected[static_cast<std::size_t>(refused.code)];
    return refused;
  };
  const Points cost = std::clamp(former.cost, Points{1}, kMostPoints);
  former.request = completed(std::move(former.request));
  if (const auto bad = check_request(options_.queueing, former.request)) {
    return reject(refusal(RefusalCode::invalid, keep_name(bad->field), cost));
  }
  const auto rule = applying_rule(options_.queueing.rules, former.request, former.id);
  if (rule && options_.queueing.rules[*rule].action == RuleOptions::Action::reject) {
    return reject(refusal(RefusalCode::rule, rule_names_[*rule], cost));
  }
  const std::uint32_t queue = queue_number(former.request.queue);
  PendingJob job = prepare(std::move(former.request), former.id, cost, queue);
  if (const auto refused = await(job, after)) {
    discard(job);
    return reject(*refused);
  }
  // Ages follow the order of arrival, whatever happened to the clock in between.
  const ArrivalList& before = pending_->by_arrival();
  job.arrived = std::min(former.arrived, now);
  if (!before.empty()) {
    job.arrived = std::max(job.arrived, (*pending_)[before.back().slot].arrived);
  }
  const JobOrder& order = former.order;
  const bool is_next = order.arrival > last_arrival_;
  last_arrival_ = is_next ? order.arrival : last_arrival_ + 1;
  job.arrival = last_arrival_;
  job.order = is_next ? OrderNumber{order.whole, order.part}
                      : OrderNumber{static_cast<std::int64_t>(job.arrival), 0};
  job.is_frozen = former.frozen;
  job.parked = parked_of(job);
  ++counters_.submitted;
  note_boundaries(job);
  enlist_highlander(job);
  enlist_child(job);
  const Queued queued{job.id, false, job.arrival};
  pending_->add(std::move(job));
  return queued;
}

}  // namespace sluice

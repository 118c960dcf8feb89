#include "governor/restore.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "governor/booking.h"
#include "governor/request_conversion.h"
#include "governor/submission.h"
#include "governor/validation/check_request.h"
#include "governor/waiting.h"

namespace sluice {
namespace {

/// A running job cannot be refused: drops what the configuration no longer has.
JobRequest fitted(const CoreState& core, JobRequest job) {
  const QueueingOptions& queueing = core.options.queueing;
  if (!configured_queue(queueing, job.queue))
    job.queue = core.queues[core.queues.default_number()].name;
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

Admitted adopt(CoreState& core, JobSnapshot former, TimePoint now) {
  const JobRequest request = fitted(core, std::move(former.request));
  PendingJob job =
      prepare(core, request, former.id, std::clamp(former.cost, Points{1}, kMostPoints),
              queue_for(core, request));
  job.arrived = std::min(former.arrived, now);
  add_running_locks(core, job.locks);
  const std::uint32_t slot = core.running.free_slot();
  RunningJob& running = core.running[slot];
  running.job = std::move(job);
  claim_needs(core, running);
  running.items =
      core.resources.adopt(running.needs, running.job.key, running.job.id, former.items);
  ++core.counters.submitted;
  Admitted admitted = enter(core, slot, std::min(*former.admitted, now));
  if (!former.starting) core.running.started(slot);
  return admitted;
}

Refusal refuse_invalid(CoreState& core, std::string_view field, Points cost) {
  return reject(core, core.refusal(RefusalCode::invalid, core.names.intern_field(field), cost));
}

std::variant<Queued, Refusal> requeue(CoreState& core, JobSnapshot former,
                                      const std::vector<JobId>& after, TimePoint now) {
  const Points cost = std::clamp(former.cost, Points{1}, kMostPoints);
  former.request = complete(core.options.queueing, std::move(former.request));
  if (const auto bad = check_request(core.options.queueing, former.request)) {
    return refuse_invalid(core, bad->field, cost);
  }
  if (const auto refused = refused_by_rule(core, former.request, former.id, cost)) {
    return reject(core, *refused);
  }
  const std::uint32_t queue = queue_for(core, former.request);
  PendingJob job = prepare(core, std::move(former.request), former.id, cost, queue);
  if (const auto refused = await(core, job, after)) {
    discard(core, job);
    return reject(core, *refused);
  }
  // Ages follow the order of arrival, whatever happened to the clock in between.
  const ArrivalList& before = core.pending->by_arrival();
  job.arrived = std::min(former.arrived, now);
  if (!before.empty()) {
    job.arrived = std::max(job.arrived, (*core.pending)[before.back().slot].arrived);
  }
  const JobOrder& order = former.order;
  const bool is_next = order.arrival > core.last_arrival;
  core.last_arrival = is_next ? order.arrival : core.last_arrival + 1;
  job.arrival = core.last_arrival;
  job.order = is_next ? OrderNumber{order.whole, order.part}
                      : OrderNumber{static_cast<std::int64_t>(job.arrival), 0};
  job.is_frozen = former.frozen;
  ++core.counters.submitted;
  const Queued queued{job.id, false, job.arrival};
  add_pending(core, std::move(job));
  return queued;
}

}  // namespace

std::vector<RestoreResult> restore(CoreState& core, GovernorSnapshot snapshot, TimePoint now) {
  core.last_id = std::max(core.last_id, snapshot.last.value);
  for (const JobId failed : snapshot.failed) core.dependencies.remember_failed(failed);
  std::unordered_set<std::uint64_t> alive;
  for (const JobSnapshot& job : snapshot.jobs) alive.insert(job.id.value);
  std::unordered_set<std::uint64_t> numbers;
  std::vector<RestoreResult> taken;
  taken.reserve(snapshot.jobs.size());
  for (JobSnapshot& job : snapshot.jobs) {
    const JobId id = job.id;
    core.last_id = std::max(core.last_id, id.value);
    const bool is_new = numbers.insert(id.value).second;
    if (job.admitted) {
      taken.emplace_back(adopt(core, std::move(job), now));
      continue;
    }
    if (!is_new) {
      // Its wait could not be told from that of the other job.
      taken.emplace_back(refuse_invalid(core, "id", job.cost));
      continue;
    }
    std::vector<JobId> after = job.request.after;
    // Neither alive nor failed: it ended ok.
    std::erase_if(after, [&](JobId each) {
      return !alive.contains(each.value) && !core.dependencies.has_failed(each);
    });
    auto queued = requeue(core, std::move(job), after, now);
    if (const auto* refused = std::get_if<Refusal>(&queued)) {
      taken.emplace_back(*refused);
      resolve_dependents(core, id, JobEnd::failed);
    } else {
      taken.emplace_back(std::get<Queued>(queued));
    }
  }
  return taken;
}

}  // namespace sluice

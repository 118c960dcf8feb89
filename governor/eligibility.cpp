#include "governor/eligibility.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "governor/books/queue_walk.h"

namespace sluice {
namespace {

using Place = RunningJobs::Place;

/// The binding if a job would block on everything.
constexpr std::string_view kGlobalLock = "global_lock";

std::optional<Refusal> held_by_dependency(const CoreState& core, const PendingJob& job) {
  const auto holder = core.dependencies.holder_of(job.id);
  if (!holder) return std::nullopt;
  return core.refusal(RefusalCode::dependency, "after", job.cost, *holder);
}

/// The job's ancestors do not count towards a limit.
std::optional<Refusal> held_by_rate(const CoreState& core, const PendingJob& job,
                                    const std::vector<Place>& parents) {
  std::vector<std::uint32_t> parents_limits;
  for (const Place parent : parents) parents_limits.push_back(core.running[parent].job.limits);
  const auto full = core.limits.full(job.limits, parents_limits);
  if (!full) return std::nullopt;
  Refusal refused = core.refusal(RefusalCode::rate_limit, full->label, job.cost);
  refused.needs = 1;
  refused.free = full->n - full->running;
  refused.total = full->n;
  return refused;
}

Refusal blocked_on(const CoreState& core, const PendingJob& job, std::size_t level) {
  const bool global = level == core.contention->levels().size();
  return core.refusal(RefusalCode::contention, global ? kGlobalLock : core.level_names[level],
                      job.cost);
}

std::optional<Refusal> held_by_contention(const CoreState& core, const PendingJob& job) {
  const LockShape& shape = core.contention->shape(job.locks.shape);
  const Hits hits = core.contention->hits_of(job.locks);
  if (const auto level = core.contention->certain_conflict(job.locks.shape, hits)) {
    return blocked_on(core, job, *level);
  }
  if (core.lock_reservations->empty()) return std::nullopt;
  const bool boosts = core.pending->ranking().boosts_priority;
  const auto binds = [&](std::uint32_t slot) {
    const PendingJob& aged = (*core.pending)[slot];
    return (boosts || aged.priority >= job.priority) && !core.queues[aged.queue].paused &&
           !core.limits.is_full(aged.limits);
  };
  const auto aged = core.lock_reservations->first_against(job.locks, shape, job.arrival, binds);
  if (!aged) return std::nullopt;
  return core.refusal(RefusalCode::held_for, "locks", job.cost, (*core.pending)[aged->slot].id);
}

/// As `held_by_contention`, for a child: it ignores its ancestors' locks and locks reserved for
/// pending jobs, which may be waiting for its ancestors.
std::optional<Refusal> held_by_strangers(const CoreState& core, const PendingJob& job,
                                         const std::vector<Place>& parents) {
  const auto level =
      core.contention->certain_conflict(job.locks.shape, core.contention->hits_of(job.locks));
  if (!level) return std::nullopt;
  for (Place place = 0; place < core.running.size(); ++place) {
    const RunningJob& other = core.running[place];
    const bool counts = other.in_use && std::ranges::count(parents, place) == 0;
    if (!counts || !core.contention->certainly_blocks(job.locks, other.job.locks)) continue;
    return blocked_on(core, job, *level);
  }
  return std::nullopt;
}

/// Gives each reason to `visit`, in order, while that returns true.
template <typename Visit>
void visit_holds(const CoreState& core, const PendingJob& job, Visit visit) {
  const std::vector<Place> parents = core.running.line_of(job);
  const JobQueue& queue = core.queues[job.queue];
  const auto goes_on = [&](RefusalCode code, std::string_view binding) {
    return visit(core.refusal(code, binding, job.cost));
  };
  // A branch has no switch of its own.
  const auto its_queue_is_paused = [&] {
    return goes_on(RefusalCode::queue_paused, core.queues[queue.parent].name);
  };
  if (queue.paused && parents.empty() && !its_queue_is_paused()) return;
  if (job.is_frozen && !goes_on(RefusalCode::frozen, "frozen")) return;
  if (const auto refused = held_by_dependency(core, job); refused && !visit(*refused)) return;
  if (job.rule != 0 && !goes_on(RefusalCode::rule, core.rule_names[job.rule - 1])) return;
  if (const auto refused = held_by_rate(core, job, parents); refused && !visit(*refused)) return;
  if (!core.lock_reservations) return;
  const auto refused =
      parents.empty() ? held_by_contention(core, job) : held_by_strangers(core, job, parents);
  if (refused) visit(*refused);
}

}  // namespace

std::optional<Refusal> ineligible(const CoreState& core, const PendingJob& job) {
  std::optional<Refusal> first;
  visit_holds(core, job, [&](const Refusal& refused) {
    first = refused;
    return false;
  });
  return first;
}

std::vector<Refusal> all_ineligible(const CoreState& core, const PendingJob& job) {
  std::vector<Refusal> all;
  visit_holds(core, job, [&](const Refusal& refused) {
    all.push_back(refused);
    return true;
  });
  return all;
}

std::optional<Refusal> kept_from_window(const CoreState& core, const PendingJob& job) {
  const JobQueue& queue = core.queues[job.queue];
  if (!core.running.place_of_parent(job) || !queue.paused) return std::nullopt;
  return core.refusal(RefusalCode::queue_paused, core.queues[queue.parent].name, job.cost);
}

bool may_start(const void* context, const Strand& strand) {
  const CoreState& core = *static_cast<const CoreState*>(context);
  if (strand.key.parked != Parked::no || core.queues[strand.key.queue].paused) return false;
  if (core.limits.is_full(strand.key.limits)) return false;
  if (!core.lock_reservations) return true;
  return !core.contention->certain_conflict(strand.bucket->shape, strand.bucket->hits);
}

std::optional<Front> front(const CoreState& core, TimePoint now) {
  std::optional<Front> front;
  std::optional<Rank> best;
  for (std::uint32_t queue = 0; queue < core.queues.size(); ++queue) {
    if (core.pending->size_of(queue) == 0) continue;
    QueueWalk walk(*core.pending, queue, now, &core, may_start);
    auto slot = walk.next();
    while (slot && ineligible(core, (*core.pending)[*slot])) slot = walk.next();
    if (!slot || (best && *best < walk.rank())) continue;
    const PendingJob& job = (*core.pending)[*slot];
    best = walk.rank();
    const bool lifted = best->unsaturated == 0;
    front = Front{job.id, lifted ? std::numeric_limits<int>::max() : job.priority, job.cost};
  }
  return front;
}

double weight_of(const CoreState& core, const PendingJob& job, TimePoint now) {
  const Ranking& ranking = core.pending->ranking();
  if (ranking.mode == ContentionMode::off) return 0;
  const int spv = core.contention->spv(job.locks.shape, core.contention->hits_of(job.locks));
  const int parts = 10 * std::max(1, ranking.aging_ticks.value_or(1));
  return static_cast<double>(ranking.weight(spv, job.arrived, now)) / parts;
}

std::vector<JobId> conflicts_of(const CoreState& core, const LockProfile& locks) {
  std::vector<JobId> conflicts;
  const bool batch = core.options.queueing.contention.batch;
  const Hits hits = core.contention->hits_of(locks);
  if (!batch && !core.contention->certain_conflict(locks.shape, hits)) return conflicts;
  std::vector<const RunningJob*> blocking;  // Few of many: sorted afterwards.
  for (const RunningJob& job : core.running) {
    if (job.in_use && core.contention->certainly_blocks(locks, job.job.locks)) {
      blocking.push_back(&job);
    }
  }
  std::ranges::sort(blocking, {}, &RunningJob::turn);
  for (const RunningJob* job : blocking) conflicts.push_back(job->job.id);
  return conflicts;
}

}  // namespace sluice

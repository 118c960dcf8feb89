#include <algorithm>

#include "governor/core.h"

namespace sluice {

std::optional<Explanation> Core::explain(JobId id, TimePoint now) const {
  auto seen = job(id, now);
  if (!seen) return std::nullopt;
  Explanation explanation;
  explanation.job = *std::move(seen);
  explanation.base_tenths = contention_->base();
  explanation.aging_ticks = pending_->ranking().aging_ticks;
  const auto slot = pending_->find(id);
  if (!slot) return explanation;
  const PendingJob& pending = (*pending_)[*slot];
  explanation.age_ticks = pending_->ranking().age(pending.arrived, now);
  if (explanation.aging_ticks) {
    explanation.saturates = pending.arrived + pending_->ranking().tick * *explanation.aging_ticks;
  }
  explanation.blockers = blockers_of(pending, explanation.job.refusal, now);
  explain_weight(explanation, pending, now);
  if (pending.needs != 0) {
    const Needs& needs = needs_[pending.needs];
    for (const ResourceNeed& need : needs.resources) {
      const Resources::Standing standing = resources_.standing(need, needs.key);
      explanation.resources.push_back({std::string(standing.manager), standing.needs, standing.free,
                                       standing.total, standing.is_short});
    }
  }
  return explanation;
}

void Core::explain_weight(Explanation& explanation, const PendingJob& job, TimePoint now) const {
  explanation.certain_conflicts = conflicts_of(job.locks);
  if (pending_->ranking().mode == ContentionMode::off) return;
  const Hits hits = contention_->hits_of(job.locks);
  explanation.spv_tenths = contention_->spv(job.locks.shape, hits);
  explanation.weight = weight_of(job, now);
  const std::vector<const RunningJob*> running = running_in_order();
  const bool wants_all = contention_->shape(job.locks.shape).global;
  const auto holder = std::find_if(running.begin(), running.end(), [&](const RunningJob* other) {
    return wants_all || contention_->shape(other->job.locks.shape).global;
  });
  if (holder != running.end()) explanation.global_lock_by = (*holder)->job.id;
  for (std::size_t level = 0; level < contention_->levels().size(); ++level) {
    LevelWeight weight;
    weight.level = contention_->levels()[level];
    weight.tenths = contention_->level_value(job.locks.shape, hits, level);
    const auto cause = std::find_if(running.begin(), running.end(), [&](const RunningJob* other) {
      return weight.tenths > 0 &&
             contention_->value_against(job.locks, other->job.locks, level) == weight.tenths;
    });
    if (cause != running.end()) weight.by = (*cause)->job.id;
    explanation.levels.push_back(std::move(weight));
  }
}

}  // namespace sluice

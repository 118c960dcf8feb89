#include "governor/pass.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

bool any_strand(const void*, const Strand&) { return true; }

}  // namespace

Core::Pass::Pass(const Core& core, TimePoint now, Look look, OnRefusal on_refusal)
    : core_(core),
      now_(now),
      look_(look),
      on_refusal_(std::move(on_refusal)),
      turns_(core.queues_.size()),
      stamp_(++core.last_stamp_) {
  const int backfill = core.options_.window.law == Law::adaptive ? kAdaptiveBackfill : 0;
  for (std::size_t queue = 0; queue < turns_.size(); ++queue) {
    turns_[queue].backfill = core.queues_[queue].options.backfill.value_or(backfill);
  }
  set_order();
}

/// Queues by the waiting time of their first job, longest first, whether that job may start or not.
void Core::Pass::set_order() {
  struct First {
    TimePoint arrived;
    std::string_view name;
    std::uint32_t queue;

    auto operator<=>(const First&) const = default;
  };
  std::vector<First> firsts;
  for (std::uint32_t queue = 0; queue < turns_.size(); ++queue) {
    if (core_.pending_->size_of(queue) == 0) continue;
    PendingQueue::Walk walk(*core_.pending_, queue, now_, nullptr, any_strand);
    const std::uint32_t first = *walk.next();
    firsts.push_back({(*core_.pending_)[first].arrived, core_.queues_[queue].name, queue});
  }
  std::sort(firsts.begin(), firsts.end());
  for (const First& first : firsts) order_.push_back(first.queue);
}

std::optional<std::uint32_t> Core::Pass::next() {
  while (true) {
    while (at_ < order_.size()) {
      const std::uint32_t queue = order_[at_++];
      if (turns_[queue].done) continue;
      if (const auto slot = visit(queue)) {
        admitted_in_tour_ = true;
        return slot;
      }
    }
    if (!std::exchange(admitted_in_tour_, false)) return std::nullopt;
    at_ = 0;
  }
}

std::optional<std::uint32_t> Core::Pass::visit(std::uint32_t queue) {
  Turn& turn = turns_[queue];
  PendingQueue::Walk walk(*core_.pending_, queue, now_, &core_,
                          look_ == Look::all ? any_strand : Core::may_start);
  while (const auto slot = walk.next()) {
    if (is_passed_over(*slot)) continue;
    const PendingJob& job = (*core_.pending_)[*slot];
    if (const auto refusal = core_.ineligible(job)) {
      on_refusal_(*slot, *refusal);
      continue;
    }
    // Checked for each job: a job that starts may close the gate behind it.
    if (auto closed = core_.why_closed()) {
      closed->cost = job.cost;
      on_refusal_(*slot, *closed);
      turn.done = true;
      turn.blocker = job.id;
      return std::nullopt;
    }
    const Prediction expected = core_.predict(job);
    const Shortages shortages = shortages_of(job, expected);
    if (!shortages.first && !shortages.skipping) {
      pass_over(*slot);
      cost_ = expected.cost;
      return slot;
    }
    on_refusal_(*slot, shortages.first ? *shortages.first : *shortages.skipping);
    if (!shortages.first) {
      pass_over(*slot);
      continue;
    }
    const bool only_room = shortages.blocking.empty() && !shortages.skipping;
    const bool aged = core_.pending_->ranking().is_saturated(job.arrived, now_);
    if (only_room && !aged && turn.passed_over < turn.backfill) {
      ++turn.passed_over;
      pass_over(*slot);
      continue;
    }
    end_turn(turn, job, shortages, expected);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Refusal> Core::Pass::shortage_of(const PendingJob& job) const {
  const Shortages shortages = shortages_of(job, core_.predict(job));
  return shortages.first ? shortages.first : shortages.skipping;
}

std::vector<Refusal> Core::Pass::all_shortages_of(const PendingJob& job) const {
  return shortages_of(job, core_.predict(job)).all;
}

Core::Pass::Shortages Core::Pass::shortages_of(const PendingJob& job,
                                               const Prediction& expected) const {
  Shortages shortages;
  // With nothing running, one job starts whatever it needs: a window too small for a job must not
  // keep the machine idle forever.
  const bool idle = core_.running_count_ == 0;
  const Points grows = core_.permits_.growth(core_.place_of_parent(job), expected.cost);
  const bool fits = idle || core_.permits_.usage() + grows <= core_.window_.size;
  if (!fits || window_.is) {
    shortages.window = true;
    shortages.first = core_.refusal(RefusalCode::window, "window", expected.cost);
    if (fits && window_.kept_for != JobId{}) {
      shortages.first->code = RefusalCode::held_for;
      shortages.first->ahead = window_.kept_for;
    }
    shortages.all.push_back(*shortages.first);
  }
  check_memory(job, expected, shortages);
  check_managers(job, shortages);
  return shortages;
}

void Core::Pass::check_memory(const PendingJob& job, const Prediction& expected,
                              Shortages& shortages) const {
  const MemoryNeed need = expected.memory.value_or(MemoryNeed{});
  if (need == MemoryNeed{}) return;
  const auto standing = core_.memory_standing(job, expected);
  if (!standing) return;
  const bool idle = core_.running_count_ == 0;
  const bool has_room = idle || standing->fits();
  shortages.memory = !has_room || (memory_.is && !idle);
  if (!shortages.memory) return;
  Refusal refusal = core_.refusal(RefusalCode::memory, "memory", job.cost);
  refusal.needs = std::llround(standing->needs);
  refusal.free = static_cast<std::int64_t>(std::floor(standing->free));
  refusal.total = std::llround(standing->total);
  if (has_room && memory_.kept_for != JobId{}) {
    refusal.code = RefusalCode::held_for;
    refusal.ahead = memory_.kept_for;
  }
  if (!shortages.first) shortages.first = refusal;
  shortages.all.push_back(refusal);
}

void Core::Pass::check_managers(const PendingJob& job, Shortages& shortages) const {
  if (job.needs == 0) return;
  const Needs& needs = core_.needs_[job.needs];
  for (const ResourceNeed& need : core_.needs_beyond_parents(job, needs.resources)) {
    const Resources::Standing standing = core_.resources_.standing(need, needs.key);
    const bool full = std::find(full_.begin(), full_.end(), need.manager) != full_.end();
    if (!standing.is_short && !full) continue;
    Refusal refusal = core_.refusal(RefusalCode::resource, standing.manager, job.cost);
    refusal.needs = standing.needs;
    refusal.free = standing.free;
    refusal.total = standing.total;
    shortages.all.push_back(refusal);
    if (standing.blocks) {
      shortages.blocking.push_back(need.manager);
      if (!shortages.first) shortages.first = refusal;
    } else if (!shortages.skipping) {
      shortages.skipping = refusal;
    }
  }
}

/// Everything that blocks counts as full from here on, for all queues: what is left of it is held
/// for this job, so that large requests run in the end. An aged job also holds the memory and
/// managers that it is not short of yet: otherwise jobs of other queues could take the one while it
/// waits for the other, and so on forever.
void Core::Pass::end_turn(Turn& turn, const PendingJob& job, const Shortages& shortages,
                          const Prediction& expected) {
  turn.done = true;
  turn.blocker = job.id;
  const bool aged = core_.pending_->ranking().is_saturated(job.arrived, now_);
  const auto fill = [&](Full& full) {
    if (aged && !full.is) full.kept_for = job.id;
    full.is = true;
  };
  if (shortages.window) fill(window_);
  if (shortages.memory) fill(memory_);
  full_.insert(full_.end(), shortages.blocking.begin(), shortages.blocking.end());
  if (!aged) return;
  if (expected.memory) fill(memory_);
  if (job.needs == 0) return;
  const Needs& needs = core_.needs_[job.needs];
  for (const ResourceNeed& need : needs.resources) {
    if (core_.resources_.standing(need, needs.key).blocks) full_.push_back(need.manager);
  }
}

bool Core::Pass::is_passed_over(std::uint32_t slot) const {
  return slot < core_.stamps_.size() && core_.stamps_[slot] == stamp_;
}

void Core::Pass::pass_over(std::uint32_t slot) {
  if (core_.stamps_.size() <= slot) core_.stamps_.resize(slot + 1);
  core_.stamps_[slot] = stamp_;
}

}  // namespace sluice

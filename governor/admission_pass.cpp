#include "governor/admission_pass.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "governor/booking.h"
#include "governor/books/queue_walk.h"
#include "governor/cpu_admission.h"
#include "governor/cpu_use.h"
#include "governor/eligibility.h"
#include "governor/job_cost.h"
#include "governor/law/cpu_phases.h"
#include "governor/law/knee.h"
#include "governor/law/liveness.h"
#include "governor/law/window_room.h"
#include "governor/memory_admission.h"
#include "governor/memory_charge.h"
#include "governor/nesting.h"
#include "governor/red_sensors.h"
#include "governor/tour_order.h"
#include "governor/waiting.h"
#include "governor/window_control.h"

namespace sluice {
namespace {

void tell(CoreState& core, std::vector<Decision>& decisions, std::uint32_t slot,
          const Refusal& refused, TimePoint now) {
  const PendingJob& job = (*core.pending)[slot];
  const bool names_job =
      refused.code == RefusalCode::held_for || refused.code == RefusalCode::dependency;
  const ReportedRefusal told{refused.code, refused.binding, names_job ? refused.ahead : JobId{}};
  const auto [found, is_new] = core.reported_refusals.try_emplace(job.id.value, told);
  if (!is_new && std::exchange(found->second, told) == told) return;
  Decision decision;
  decision.job = job.id;
  decision.refusal = refused;
  decision.cost = job.cost;
  decision.usage = core.running.permits().usage();
  decision.size = core.window.size;
  decision.weight = weight_of(core, job, now);
  decisions.push_back(std::move(decision));
}

}  // namespace

Pass::Pass(const CoreState& core, TimePoint now, Scope scope, OnRefusal on_refusal)
    : core_(core),
      now_(now),
      scope_(scope),
      on_refusal_(std::move(on_refusal)),
      order_(tour_order(core, now)),
      turns_(core.queues.size()),
      stamp_(++core.last_stamp) {
  const int backfill = core.options.window.law == Law::rfc ? 0 : kAdaptiveBackfill;
  for (std::size_t queue = 0; queue < turns_.size(); ++queue) {
    turns_[queue].backfill = core.queues[queue].options.backfill.value_or(backfill);
  }
}

std::optional<std::uint32_t> Pass::next() {
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

std::optional<std::uint32_t> Pass::visit(std::uint32_t queue) {
  Turn& turn = turns_[queue];
  QueueWalk walk(*core_.pending, queue, now_, &core_,
                 scope_ == Scope::all ? QueueWalk::any_strand : may_start);
  while (const auto slot = walk.next()) {
    if (was_considered(*slot)) continue;
    const PendingJob& job = (*core_.pending)[*slot];
    if (const auto refusal = ineligible(core_, job)) {
      on_refusal_(*slot, *refusal, JobId{});
      continue;
    }
    // Checked for each job: a job that starts may close the gate behind it.
    if (const auto closed = why_closed(core_)) {
      on_refusal_(*slot, core_.refusal(closed->code, closed->binding, job.cost), JobId{});
      turn.done = true;
      turn.blocker = job.id;
      return std::nullopt;
    }
    const Prediction expected = predict(core_, job);
    const Shortages shortages = shortages_of(job, expected);
    if (!shortages.first && !shortages.skipping) {
      mark_considered(*slot);
      cost_ = expected.cost;
      return slot;
    }
    on_refusal_(*slot, shortages.first ? *shortages.first : *shortages.skipping, shortages.before);
    if (!shortages.first) {
      mark_considered(*slot);
      continue;
    }
    if (may_backfill(turn, job, shortages)) {
      ++turn.passed_over;
      mark_considered(*slot);
      continue;
    }
    end_turn(turn, job, shortages, expected);
    return std::nullopt;
  }
  return std::nullopt;
}

/// A job that hardly uses a CPU, or not yet, does not wait behind those that do while the window
/// holds at the knee (`hold` in law/knee.cpp), unless an aged job waits. While tasks wait for I/O
/// the job may be one of these.
bool Pass::passes_window(const Prediction& expected) const {
  const bool waits = cpus_are_measured(core_, now_) && waits_for_io(*core_.use);
  return core_.options.window.law == Law::knee && begins_asleep(expected) && !waits &&
         window_.kept_for == JobId{};
}

/// Whether jobs behind this one, which lacks only room, may start before it.
bool Pass::may_backfill(const Turn& turn, const PendingJob& job, const Shortages& shortages) const {
  const bool only_room = shortages.blocking.empty() && !shortages.skipping;
  const bool is_aged = core_.pending->ranking().is_saturated(job.arrived, now_);
  return only_room && !is_aged && turn.passed_over < turn.backfill;
}

std::optional<Refusal> Pass::shortage_of(const PendingJob& job) const {
  const Shortages shortages = shortages_of(job, predict(core_, job));
  return shortages.first ? shortages.first : shortages.skipping;
}

std::vector<Refusal> Pass::all_shortages_of(const PendingJob& job) const {
  return shortages_of(job, predict(core_, job)).all;
}

Pass::Shortages Pass::shortages_of(const PendingJob& job, const Prediction& expected) const {
  Shortages shortages;
  const Points grows =
      core_.running.permits().growth(core_.running.place_of_parent(job), expected.cost);
  const bool sleeps = passes_window(expected);
  const Points size = sleeps ? core_.options.window.maximum : core_.window.size;
  const bool fits = fits_window(core_.running.permits().usage(), grows, size);
  const auto busy = grows > Points{0} ? cpu_shortage(core_, job, expected, now_) : std::nullopt;
  if (!fits || busy || (window_.full && !sleeps)) {
    shortages.window = true;
    const std::string_view binding = fits ? window_.binding : "window";
    shortages.first = busy.value_or(core_.refusal(RefusalCode::window, binding, expected.cost));
    if (fits && window_.kept_for != JobId{}) {
      shortages.first->code = RefusalCode::held_for;
      shortages.first->ahead = window_.kept_for;
    } else if (fits && !busy) {
      shortages.before = window_.filled_by;
    }
    shortages.all.push_back(*shortages.first);
  }
  check_memory(job, expected, shortages);
  check_managers(job, shortages);
  return shortages;
}

void Pass::check_memory(const PendingJob& job, const Prediction& expected,
                        Shortages& shortages) const {
  const MemoryNeed need = expected.memory.value_or(MemoryNeed{});
  if (need == MemoryNeed{}) return;
  const auto standing = memory_standing(core_, job, expected);
  if (!standing) return;
  const bool idle = nothing_runs(core_.running.count());
  const bool has_room = idle || standing->fits();
  shortages.memory = !has_room || (memory_.full && !idle);
  if (!shortages.memory) return;
  Refusal refusal = core_.refusal(RefusalCode::memory, "memory", job.cost);
  refusal.needs = std::llround(standing->needs);
  refusal.free = static_cast<std::int64_t>(std::floor(standing->free));
  refusal.total = std::llround(standing->total);
  if (has_room && memory_.kept_for != JobId{}) {
    refusal.code = RefusalCode::held_for;
    refusal.ahead = memory_.kept_for;
  } else if (has_room && !shortages.first) {
    shortages.before = memory_.filled_by;
  }
  if (!shortages.first) shortages.first = refusal;
  shortages.all.push_back(refusal);
}

void Pass::check_managers(const PendingJob& job, Shortages& shortages) const {
  if (job.needs == 0) return;
  const Needs& needs = core_.needs[job.needs];
  for (const ResourceNeed& need : needs_beyond_parents(core_, job, needs.resources)) {
    const Resources::Standing standing = core_.resources.standing(need, needs.key);
    const auto full = std::ranges::find(full_managers_, need.manager, &FullManager::manager);
    if (!standing.is_short && full == full_managers_.end()) continue;
    const Refusal refusal = core_.shortage(RefusalCode::resource, standing, job.cost);
    shortages.all.push_back(refusal);
    if (!standing.blocks) {
      if (!shortages.skipping) shortages.skipping = refusal;
      continue;
    }
    shortages.blocking.push_back(need.manager);
    if (shortages.first) continue;
    shortages.first = refusal;
    if (!standing.is_short) shortages.before = full->filled_by;
  }
}

/// Everything that blocks counts as full from here on, for all queues: what is left of it is held
/// for this job, so that large requests run in the end. An aged job also holds the memory and
/// managers that it is not short of yet: otherwise jobs of other queues could take the one while it
/// waits for the other, and so on forever.
void Pass::end_turn(Turn& turn, const PendingJob& job, const Shortages& shortages,
                    const Prediction& expected) {
  turn.done = true;
  turn.blocker = job.id;
  const bool aged = core_.pending->ranking().is_saturated(job.arrived, now_);
  const auto fill = [&](Capacity& capacity) {
    if (std::exchange(capacity.full, true)) return;
    capacity.filled_by = job.id;
    if (aged) capacity.kept_for = job.id;
  };
  if (shortages.window && !window_.full) window_.binding = shortages.first->binding;
  if (shortages.window) fill(window_);
  if (shortages.memory) fill(memory_);
  for (const std::uint32_t manager : shortages.blocking) {
    full_managers_.push_back({manager, job.id});
  }
  if (!aged) return;
  if (expected.memory) fill(memory_);
  if (job.needs == 0) return;
  const Needs& needs = core_.needs[job.needs];
  for (const ResourceNeed& need : needs.resources) {
    if (core_.resources.standing(need, needs.key).blocks) {
      full_managers_.push_back({need.manager, job.id});
    }
  }
}

bool Pass::was_considered(std::uint32_t slot) const {
  return slot < core_.stamps.size() && core_.stamps[slot] == stamp_;
}

void Pass::mark_considered(std::uint32_t slot) {
  if (core_.stamps.size() <= slot) core_.stamps.resize(slot + 1);
  core_.stamps[slot] = stamp_;
}

std::vector<Admitted> start_pending(CoreState& core, TimePoint now,
                                    std::vector<Decision>* decisions) {
  // A reading may have expired since the last sweep if the window thread hangs.
  judge_all(core, now);
  reserve_locks_of_saturated(core, now);
  core.boundaries.refresh(*core.pending, now);
  std::vector<Admitted> admitted;
  if (core.pending->empty()) return admitted;
  charge_all(core, now);
  start_children(core, now, admitted);
  const auto on_refusal = [&](std::uint32_t slot, const Refusal& refused, JobId) {
    if (refused.cost != (*core.pending)[slot].cost) core.pending->reprice(slot, refused.cost);
    record_refusal(core, refused);
    if (decisions) tell(core, *decisions, slot, refused, now);
  };
  const Pass::Scope scope = decisions ? Pass::Scope::all : Pass::Scope::startable;
  const bool batch = core.options.queueing.contention.batch;
  bool admits = true;
  while (admits) {
    admits = false;
    Pass pass(core, now, scope, on_refusal);
    std::vector<LockProfile> started;  // Under `batch` weights stay as they were.
    while (const auto slot = pass.next()) {
      admits = true;
      Decision decision;
      if (decisions) {
        const PendingJob& job = (*core.pending)[*slot];
        decision.weight = weight_of(core, job, now);
        decision.conflicts = conflicts_of(core, job.locks);
      }
      PendingJob job = remove_pending(core, *slot);
      job.cost = pass.cost();
      if (batch) started.push_back(job.locks);
      if (!batch) add_running_locks(core, job.locks);
      admitted.push_back(start(core, std::move(job), now));
      if (!decisions) continue;
      decision.job = admitted.back().id;
      decision.cost = admitted.back().cost;
      decision.usage = core.running.permits().usage();
      decision.size = core.window.size;
      decision.items = admitted.back().items;
      decisions->push_back(std::move(decision));
    }
    for (const LockProfile& locks : started) add_running_locks(core, locks);
  }
  return admitted;
}

}  // namespace sluice

#include "governor/why_waiting.h"

#include <algorithm>
#include <utility>

#include "governor/admission_pass.h"
#include "governor/cpu_admission.h"
#include "governor/eligibility.h"
#include "governor/law/window_room.h"
#include "governor/memory_charge.h"
#include "governor/red_sensors.h"

namespace sluice {

Verdicts verdicts(const CoreState& core, TimePoint now) {
  Verdicts verdicts;
  // Both named in views only: they decide nothing, so a pass records the same without them.
  const JobId most = most_charged(core);
  Pass pass(core, now, Pass::Scope::startable,
            [&](std::uint32_t slot, Refusal refused, JobId before) {
              if (refused.code == RefusalCode::memory) refused.ahead = most;
              // "needs 5 points, 5 of 40 points are free" would be no reason. The binding stays: a
              // build lets what waits for memory go later.
              if (before != JobId{}) {
                refused.code = RefusalCode::behind;
                refused.ahead = before;
              }
              verdicts.by_slot.try_emplace(slot, std::move(refused));
            });
  // Nothing is known about the jobs after one that could start right now until it has.
  while (const auto slot = pass.next()) pass.end_queue((*core.pending)[*slot].queue);
  for (std::uint32_t queue = 0; queue < core.queues.size(); ++queue) {
    verdicts.blockers.push_back(pass.blocker(queue));
  }
  return verdicts;
}

std::optional<Refusal> refusal_of(const CoreState& core, std::uint32_t slot,
                                  const Verdicts& verdicts) {
  const PendingJob& job = (*core.pending)[slot];
  if (const auto refused = ineligible(core, job)) return refused;
  if (const auto looked = verdicts.by_slot.find(slot); looked != verdicts.by_slot.end()) {
    return looked->second;
  }
  if (const auto closed = why_closed(core)) {
    return core.refusal(closed->code, closed->binding, job.cost);
  }
  const auto blocker = verdicts.blockers[job.queue];
  if (!blocker) return std::nullopt;
  return core.refusal(RefusalCode::behind, "behind", job.cost, *blocker);
}

std::vector<Refusal> all_full(const CoreState& core) {
  std::vector<Refusal> all = all_closed(room(core), core.judged);
  if (core.running.permits().usage() >= core.window.size)
    all.push_back(core.refusal(RefusalCode::window, "window", Points{}));
  if (core.options.window.law == Law::knee && core.at_knee) {
    all.push_back(core.refusal(RefusalCode::window, kCpuBinding, Points{}));
  }
  return all;
}

std::vector<Refusal> blockers_of(const CoreState& core, const PendingJob& job,
                                 const std::optional<Refusal>& said, TimePoint now) {
  std::vector<Refusal> all;
  if (said) all.push_back(*said);
  const auto add = [&](const Refusal& refused) {
    const bool is_named = std::any_of(all.begin(), all.end(), [&](const Refusal& each) {
      return each.code == refused.code && each.binding == refused.binding;
    });
    if (!is_named) all.push_back(refused);
  };
  for (const Refusal& refused : all_ineligible(core, job)) add(refused);
  for (Refusal closed : all_closed(room(core), core.judged)) {
    closed.cost = job.cost;
    add(closed);
  }
  Pass pass(core, now, Pass::Scope::startable, {});
  for (const Refusal& refused : pass.all_shortages_of(job)) add(refused);
  return all;
}

}  // namespace sluice

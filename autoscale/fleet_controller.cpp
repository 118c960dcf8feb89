#include "autoscale/fleet_controller.h"

#include <algorithm>
#include <utility>

#include "autoscale/fleet_actions.h"
#include "base/values.h"

namespace sluice {
namespace {

/// The size that the fleet should have, according to the observation.
int desired_of(const ReconcileResult& result, const AutoscaleOptions& rules, bool acts) {
  const ScaleDecision& decision = result.decision;
  const ScaleNumbers& numbers = decision.numbers;
  const bool told = rules.rules == ScaleRules::window && decision.reason != ScaleReason::runaway;
  if (!acts && told && numbers.desired > 0) {
    return result.unseen > 0 ? std::max(numbers.desired, numbers.executors) : numbers.desired;
  }
  return numbers.executors + decision.add - static_cast<int>(decision.remove.size());
}

}  // namespace

FleetController::FleetController(FleetSettings settings, FleetCallbacks callbacks, FleetState state)
    : settings_(std::move(settings)), callbacks_(std::move(callbacks)), state_(std::move(state)) {}

ReconcileResult FleetController::reconcile(TimePoint now) {
  ReconcileResult result;
  result.fleet = callbacks_.fleet();
  if (!result.fleet.blind.empty()) {
    result.observation.blind = true;
    result.decision = decide(result.observation, state_.rules, settings_.rules, now).decision;
    result.desired = desired_;
    return result;
  }
  follow_fleet(result.fleet, result, now);
  result.observation = observe(result.fleet, now);
  for (const Executor& each : result.observation.executors) result.unseen += each.blind ? 1 : 0;
  ScaleStep step = decide(result.observation, state_.rules, settings_.rules, now);
  state_.rules = std::move(step.state);
  result.decision = std::move(step.decision);
  if (result.unseen > 0 && !result.decision.remove.empty()) {
    result.decision.remove.clear();
    result.decision.reason = ScaleReason::blind;
  }
  desired_ = result.desired = desired_of(result, settings_.rules, callbacks_.scaler != nullptr);
  if (callbacks_.scaler) {
    FleetActions actions(settings_, callbacks_, state_, result, now);
    actions.finish_drains();
    actions.drain();
    for (const std::string& name : actions.add()) last_.erase(name);
  }
  callbacks_.save(state_);
  return result;
}

void FleetController::follow_fleet(const FleetObservation& fleet, ReconcileResult& result,
                                   TimePoint now) {
  for (const ExecutorObservation& each : fleet.executors) {
    if (each.report) last_[each.id] = *each.report;
  }
  std::erase_if(last_, [&](const auto& entry) { return !find_executor(fleet, entry.first); });
  if (settings_.ordered == FleetSettings::Ordered::told) {
    time_booting(fleet, result, now);
  } else {
    meet_ordered(fleet, result, now);
  }
  follow_departing(fleet, result, now);
  tell_foreign_drains(fleet, result);
  // An executor that is listed but has never answered is still new, and may belong to an order.
  const std::set<std::string> before(state_.known.begin(), state_.known.end());
  state_.known.clear();
  for (const ExecutorObservation& each : fleet.executors) {
    if (each.report || before.contains(each.id)) state_.known.push_back(each.id);
  }
}

void FleetController::meet_ordered(const FleetObservation& fleet, ReconcileResult& result,
                                   TimePoint now) {
  const std::set<std::string> known(state_.known.begin(), state_.known.end());
  int strangers = 0;
  for (const ExecutorObservation& each : fleet.executors) {
    const bool fresh = each.report && !known.contains(each.id);
    strangers += fresh && !is_ordered(each.id) ? 1 : 0;
  }
  const auto met = std::erase_if(state_.ordered, [&](const OrderedExecutor& order) {
    const ExecutorObservation* seen = find_executor(fleet, order.name);
    if (seen) return seen->report.has_value();
    // If executors appear under other names than ordered, each new one fulfils the oldest order.
    return strangers-- > 0;
  });
  // The scaler's word is no success; only an executor that appears is.
  if (met > 0) state_.adding = {0, now};
  const auto missed = std::erase_if(state_.ordered, [&](const OrderedExecutor& order) {
    if (now - order.since <= settings_.boot) return false;
    result.notes.push_back(order.name + " was ordered but not seen for " +
                           print_duration(settings_.boot) + ": it no longer counts");
    return true;
  });
  if (missed == 0) return;
  result.failed_adds += static_cast<int>(missed);
  note_failure(state_.adding, settings_.rules.interval, now);
}

/// Where the list includes what was ordered, `ordered` holds those that boot. One that is late is
/// reported each time that `boot` is over, and still counts: whoever keeps the list keeps trying,
/// and an order in its place would be one too many.
void FleetController::time_booting(const FleetObservation& fleet, ReconcileResult& result,
                                   TimePoint now) {
  std::map<std::string, TimePoint> since;
  for (const OrderedExecutor& each : state_.ordered) since.emplace(each.name, each.since);
  state_.ordered.clear();
  std::vector<std::string> late;
  for (const ExecutorObservation& each : fleet.executors) {
    if (!each.booting) continue;
    TimePoint began = since.try_emplace(each.id, now).first->second;
    if (now - began > settings_.boot) {
      late.push_back(each.id);
      began = now;
    }
    state_.ordered.push_back({each.id, began});
  }
  if (late.empty()) return;
  result.failed_adds += static_cast<int>(late.size());
  const std::size_t others = late.size() - 1;
  const std::string who =
      late.front() + (others > 0 ? " and " + std::to_string(others) + " more" : "");
  result.notes.push_back(who + " did not start within " + print_duration(settings_.boot) +
                         (others > 0 ? "; Kubernetes keeps trying, so they still count as booting"
                                     : "; Kubernetes keeps trying, so it still counts as booting"));
}

void FleetController::follow_departing(const FleetObservation& fleet, ReconcileResult& result,
                                       TimePoint now) {
  using Step = DepartingExecutor::Step;
  std::vector<DepartingExecutor> still;
  for (DepartingExecutor each : state_.departing) {
    const ExecutorObservation* seen = find_executor(fleet, each.id);
    const Duration since = now - each.since;
    if (!seen) {
      if (each.step == Step::ending) continue;
      // A list that omits it once must not make us forget it: it would drain for ever.
      if (since <= settings_.leave) {
        still.push_back(std::move(each));
      } else {
        result.notes.push_back(each.id + " disappeared while it drained");
      }
      continue;
    }
    if (each.step == Step::draining) each.since = now;
    if (each.step == Step::ending && seen->report) {
      // Another executor under its name.
      if (!seen->report->draining && seen->report->up < since) continue;
      if (since > settings_.leave && !seen->leaving) {
        result.notes.push_back("the scaler reported that it removed " + each.id +
                               ", which still answers after " + print_duration(settings_.leave));
        ++result.failed_removes;
        note_failure(state_.removing, settings_.rules.interval, now);
        each = {each.id, Step::draining, now};
      }
    }
    still.push_back(std::move(each));
  }
  state_.departing = std::move(still);
}

/// The autoscaler does not resume executors that it did not drain, so they cost money without
/// working until an operator resumes them: reported once.
void FleetController::tell_foreign_drains(const FleetObservation& fleet, ReconcileResult& result) {
  std::set<std::string> now_so;
  for (const ExecutorObservation& each : fleet.executors) {
    const bool foreign =
        each.report ? each.report->draining && !each.leaving && !find_departing(state_, each.id)
                    : foreign_drains_.contains(each.id);
    if (foreign) now_so.insert(each.id);
  }
  for (const std::string& id : now_so) {
    if (foreign_drains_.contains(id)) continue;
    result.notes.push_back(id + " is being drained by another client: it counts against max and " +
                           "takes no work until that client resumes it");
  }
  foreign_drains_ = std::move(now_so);
}

Executor FleetController::observed(const ExecutorObservation& seen) {
  Executor executor;
  executor.id = seen.id;
  executor.master = seen.id == settings_.master;
  executor.booting = seen.booting || (!seen.report && is_ordered(seen.id));
  executor.draining = seen.leaving || find_departing(state_, seen.id) != nullptr;
  const auto last = last_.find(seen.id);
  executor.blind = !seen.report && !executor.booting && !executor.draining;
  if (last == last_.end()) return executor;
  const ExecutorReport& report = last->second;
  executor.draining = executor.draining || report.draining;
  executor.window = report.window;
  executor.usage = report.usage;
  executor.fullness = report.fullness;
  executor.slots = static_cast<int>(report.window.value);
  const std::int64_t busy = report.idle() ? 0 : 1;
  executor.used =
      static_cast<int>(std::clamp<std::int64_t>(report.usage.value, busy, kMostPoints.value));
  executor.up = report.up;
  return executor;
}

Observation FleetController::observe(const FleetObservation& fleet, TimePoint now) {
  Observation observation;
  for (const ExecutorObservation& seen : fleet.executors) {
    const DepartingExecutor* going = find_departing(state_, seen.id);
    const bool ended = going && going->step == DepartingExecutor::Step::ending;
    if (ended && !seen.report && !is_ordered(seen.id)) continue;
    Executor& executor = observation.executors.emplace_back(observed(seen));
    executor.undrainable = find_waiting_drain(state_, seen.id, now) != nullptr;
    if (!seen.report) continue;
    const auto& queued = seen.report->queued;
    observation.queued.insert(observation.queued.end(), queued.begin(), queued.end());
  }
  const bool remembered = settings_.ordered == FleetSettings::Ordered::remembered;
  for (const OrderedExecutor& order : state_.ordered) {
    if (!remembered || find_executor(fleet, order.name)) continue;
    Executor executor;
    executor.id = order.name;
    executor.booting = true;
    observation.executors.push_back(std::move(executor));
  }
  append_central(fleet, now, observation.queued);
  return observation;
}

void FleetController::append_central(const FleetObservation& fleet, TimePoint now,
                                     std::vector<QueuedJob>& queued) {
  const std::int64_t waiting = fleet.central.value_or(0);
  if (waiting == 0) {
    state_.waiting_since.reset();
    return;
  }
  if (!state_.waiting_since) state_.waiting_since = now;
  std::int64_t usage = 0, running = 0;
  for (const ExecutorObservation& seen : fleet.executors) {
    if (!seen.report) continue;
    usage += seen.report->usage.value;
    running += seen.report->running;
  }
  const std::int64_t cost =
      running > 0 ? std::max<std::int64_t>(1, usage / running) : settings_.job_cost.value;
  append_jobs(queued, waiting, Points{cost * waiting},
              std::max(Duration{0}, now - *state_.waiting_since), false);
}

bool FleetController::is_ordered(const std::string& id) const {
  return std::ranges::find(state_.ordered, id, &OrderedExecutor::name) != state_.ordered.end();
}

}  // namespace sluice

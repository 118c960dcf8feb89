#include <algorithm>
#include <set>

#include "autoscale/fleet_controller.h"
#include "base/target.h"
#include "base/values.h"
#include "governor/autoscaler/names.h"

namespace sluice {
namespace {

std::string whole_seconds(Duration duration) {
  return print_duration(std::chrono::ceil<std::chrono::seconds>(duration));
}

/// Whether a failed order must still wait; never longer than the maximum delay, even if the clock
/// jumps.
bool waits(const OrderBackoff& backoff, TimePoint now) {
  const Duration left = backoff.retry - now;
  return backoff.failures > 0 && left > Duration{0} && left <= kLongestOrderDelay;
}

/// The executors whose names a new one can continue: without ports, and without addresses.
std::vector<Executor> named(std::vector<Executor> executors) {
  for (Executor& each : executors) {
    if (each.id.find(':') != std::string::npos) each.id = host_name(each.id);
  }
  std::erase_if(executors, [](const Executor& each) { return is_address(each.id); });
  return executors;
}

}  // namespace

void FleetController::finish_drains(ReconcileResult& round, TimePoint now) {
  std::vector<std::string> idle;
  for (const std::string& id : draining()) {
    const ExecutorObservation* seen = find_executor(round.fleet, id);
    if (!seen || seen->leaving || stays(*seen, round)) continue;
    if (callbacks_.scaler->removes() == Scaler::Removes::one_by_one) {
      give_up({id}, round, now);
    } else {
      idle.push_back(id);
    }
  }
  if (!idle.empty()) give_up(idle, round, now);
}

/// The executors in `idle` were idle a moment ago.
void FleetController::give_up(const std::vector<std::string>& idle, ReconcileResult& round,
                              TimePoint now) {
  if (round.unseen > 0) {
    round.notes.push_back(idle.front() + (idle.size() > 1 ? " and others are" : " is") +
                          " not removed while " + std::to_string(round.unseen) +
                          (round.unseen > 1 ? " executors are" : " executor is") + " not seen");
  } else if (waits(state_.removing, now)) {
    round.notes.push_back("the scaler failed to remove " +
                          std::to_string(state_.removing.failures) + " times; next try in " +
                          whole_seconds(state_.removing.retry - now));
  } else {
    remove(idle, round, now);
  }
}

/// Queries the executor once more at the last moment.
bool FleetController::stays(const ExecutorObservation& seen, ReconcileResult& round) {
  const auto answer = callbacks_.ask(seen);
  if (const auto* problem = std::get_if<std::string>(&answer)) {
    round.notes.push_back(seen.id +
                          " is draining and is not removed while it is not seen: " + *problem);
    return true;
  }
  const auto& report = std::get<ExecutorReport>(answer);
  const ScaleNumbers& numbers = round.decision.numbers;
  const int back = static_cast<int>(round.kept.size());
  // Taking it back is no purchase: the limits on purchases (`max`, `stabilise`) are no reason to
  // remove it.
  const bool wanted = settings_.rules.rules == ScaleRules::starcluster
                          ? numbers.queued > 0
                          : numbers.desired > numbers.executors + back;
  if (!report.draining) {
    round.notes.push_back("another client resumed " + seen.id + ": it stays");
    callbacks_.scaler->keep({seen.id});
    forget_departing(seen.id);
  } else if (!report.idle()) {
    take_back(seen, round, "it got a job meanwhile");
  } else if (round.decision.add > back || wanted ||
             numbers.executors + back < settings_.rules.least()) {
    take_back(seen, round, "it is needed again");
  } else {
    return false;
  }
  return true;
}

void FleetController::take_back(const ExecutorObservation& seen, ReconcileResult& round,
                                const std::string& why) {
  const ToldExecutor told = callbacks_.tell(seen, "resume");
  if (!told.problem.empty()) {
    round.notes.push_back(seen.id + " must stay (" + why +
                          ") but cannot be resumed: " + told.problem);
    return;
  }
  callbacks_.scaler->keep({seen.id});
  forget_departing(seen.id);
  round.kept.push_back(seen.id);
  round.notes.push_back(seen.id + " stays: " + why);
}

void FleetController::remove(const std::vector<std::string>& ids, ReconcileResult& round,
                             TimePoint now) {
  const ScalerReply reply = callbacks_.scaler->remove(ids);
  for (const std::string& id : reply.done) {
    DepartingExecutor* going = departing(id);
    if (!going) continue;
    going->step = DepartingExecutor::Step::ending;
    going->since = now;
    round.removed.push_back(id);
  }
  if (!round.removed.empty()) state_.rules = after_change(state_.rules, now);
  if (reply.problem.empty()) {
    state_.removing = {0, now};
    return;
  }
  ++round.failed_removes;
  failed(state_.removing, now);
  round.notes.push_back("the scaler did not remove: " + reply.problem + "; next try in " +
                        whole_seconds(state_.removing.retry - now));
}

void FleetController::drain(ReconcileResult& round, TimePoint now) {
  if (round.decision.remove.empty() || waits(state_.removing, now)) return;
  std::vector<std::string> ids = draining();
  std::erase_if(ids, [&](const std::string& id) { return !find_executor(round.fleet, id); });
  ids.insert(ids.end(), round.decision.remove.begin(), round.decision.remove.end());
  const Removable removable = callbacks_.scaler->removable(ids);
  if (!removable.reason.empty()) round.notes.push_back("not removed: " + removable.reason);
  for (const std::string& id : round.decision.remove) {
    const auto& sure = removable.ids;
    const ExecutorObservation* seen = find_executor(round.fleet, id);
    const bool goes = std::find(sure.begin(), sure.end(), id) != sure.end();
    if (seen && goes) drain_one(*seen, round, now);
  }
}

void FleetController::drain_one(const ExecutorObservation& seen, ReconcileResult& round,
                                TimePoint now) {
  state_.departing.push_back({seen.id, DepartingExecutor::Step::draining, now});
  callbacks_.save(state_);
  const ToldExecutor told = callbacks_.tell(seen, "drain");
  if (!told.problem.empty()) {
    // It may have begun to drain, and only the answer was lost.
    callbacks_.tell(seen, "resume");
    const auto answer = callbacks_.ask(seen);
    const auto* report = std::get_if<ExecutorReport>(&answer);
    if (report && !report->draining) forget_departing(seen.id);
    round.notes.push_back(seen.id + " cannot be drained: " + told.problem);
  } else if (told.jobs > 0) {
    take_back(seen, round, "it got a job meanwhile");
  } else {
    round.drained.push_back(seen.id);
  }
}

void FleetController::add(ReconcileResult& round, TimePoint now) {
  const int count = round.decision.add - static_cast<int>(round.kept.size());
  if (count <= 0) return;
  if (waits(state_.adding, now)) {
    round.notes.push_back("the scaler failed to add " + std::to_string(state_.adding.failures) +
                          " times; next try in " + whole_seconds(state_.adding.retry - now));
    return;
  }
  const auto names = name_executors(named(round.observation.executors), count);
  const bool remembered = settings_.ordered == FleetSettings::Ordered::remembered;
  if (remembered) {
    for (const std::string& name : names) {
      // Left from a removed executor of the same name.
      forget_departing(name);
      last_.erase(name);
      state_.ordered.push_back({name, now});
    }
    callbacks_.save(state_);
  }
  const ScalerReply reply = callbacks_.scaler->add(names);
  round.added = reply.done;
  std::set<std::string> may_come(reply.done.begin(), reply.done.end());
  may_come.insert(reply.unsure.begin(), reply.unsure.end());
  for (const std::string& name : names) {
    if (may_come.contains(name)) continue;
    std::erase_if(state_.ordered, [&](const auto& order) { return order.name == name; });
  }
  if (!reply.done.empty()) state_.rules = after_change(state_.rules, now);
  if (reply.problem.empty()) {
    if (!remembered) state_.adding = {0, now};
    return;
  }
  ++round.failed_adds;
  failed(state_.adding, now);
  round.notes.push_back("the scaler did not add: " + reply.problem + "; next try in " +
                        whole_seconds(state_.adding.retry - now));
}

std::vector<std::string> FleetController::draining() const {
  std::vector<std::string> ids;
  for (const DepartingExecutor& each : state_.departing) {
    if (each.step == DepartingExecutor::Step::draining) ids.push_back(each.id);
  }
  return ids;
}

}  // namespace sluice

#include "autoscale/fleet_actions.h"

#include <algorithm>
#include <set>

#include "base/target.h"
#include "base/text.h"
#include "governor/autoscaler/names.h"

namespace sluice {
namespace {

/// "; next try in 30 s"
std::string next_try(const OrderBackoff& backoff, TimePoint now) {
  return "; next try in " + duration_text(backoff.retry - now, Precision::seconds_up);
}

/// " 3 times; next try in 30 s"
std::string times(const OrderBackoff& backoff, TimePoint now) {
  return " " + count_text(backoff.failures, "time") + next_try(backoff, now);
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

void FleetActions::finish_drains() {
  std::vector<std::string> idle;
  for (const std::string& id : draining()) {
    const ExecutorObservation* seen = find_executor(result_.fleet, id);
    if (!seen || seen->leaving || stays(*seen)) continue;
    if (callbacks_.scaler->removes() == Scaler::Removes::one_by_one) {
      give_up({id});
    } else {
      idle.push_back(id);
    }
  }
  if (!idle.empty()) give_up(idle);
}

/// The executors in `idle` were idle a moment ago.
void FleetActions::give_up(const std::vector<std::string>& idle) {
  if (result_.unseen > 0) {
    result_.notes.push_back(idle.front() + (idle.size() > 1 ? " and others are" : " is") +
                            " not removed while " + std::to_string(result_.unseen) +
                            (result_.unseen > 1 ? " executors are" : " executor is") + " not seen");
  } else if (must_wait(state_.removing, now_)) {
    result_.notes.push_back("the scaler failed to remove" + times(state_.removing, now_));
  } else {
    remove(idle);
  }
}

/// Queries the executor once more at the last moment.
bool FleetActions::stays(const ExecutorObservation& seen) {
  const auto answer = callbacks_.ask(seen);
  if (const auto* problem = std::get_if<std::string>(&answer)) {
    result_.notes.push_back(seen.id +
                            " is draining and is not removed while it is not seen: " + *problem);
    return true;
  }
  const auto& report = std::get<ExecutorReport>(answer);
  const ScaleNumbers& numbers = result_.decision.numbers;
  const int back = static_cast<int>(result_.kept.size());
  // Taking it back is no purchase: the limits on purchases (`max`, `stabilise`) are no reason to
  // remove it.
  const bool wanted = settings_.rules.rules == ScaleRules::starcluster
                          ? numbers.queued > 0
                          : numbers.desired > numbers.executors + back;
  if (!report.draining) {
    result_.notes.push_back("another client resumed " + seen.id + ": it stays");
    callbacks_.scaler->cancel_removal({seen.id});
    forget_departing(seen.id);
  } else if (!report.idle()) {
    take_back(seen, "it got a job meanwhile");
  } else if (result_.decision.add > back || wanted ||
             numbers.executors + back < settings_.rules.least()) {
    take_back(seen, "it is needed again");
  } else {
    return false;
  }
  return true;
}

void FleetActions::take_back(const ExecutorObservation& seen, const std::string& why) {
  const ToldExecutor told = callbacks_.tell(seen, "resume");
  if (!told.problem.empty()) {
    result_.notes.push_back(seen.id + " must stay (" + why +
                            ") but cannot be resumed: " + told.problem);
    return;
  }
  callbacks_.scaler->cancel_removal({seen.id});
  forget_departing(seen.id);
  result_.kept.push_back(seen.id);
  result_.notes.push_back(seen.id + " stays: " + why);
}

void FleetActions::remove(const std::vector<std::string>& ids) {
  const ScalerReply reply = callbacks_.scaler->remove(ids);
  for (const std::string& id : reply.done) {
    DepartingExecutor* going = find_departing(state_, id);
    if (!going) continue;
    going->step = DepartingExecutor::Step::ending;
    going->since = now_;
    result_.removed.push_back(id);
  }
  if (!result_.removed.empty()) state_.rules = after_change(state_.rules, now_);
  if (reply.problem.empty()) {
    state_.removing = {0, now_};
    return;
  }
  failed(result_.failed_removes, state_.removing, "the scaler did not remove: " + reply.problem);
}

void FleetActions::drain() {
  std::erase_if(state_.failed_drains,
                [&](const FailedDrain& each) { return !find_executor(result_.fleet, each.id); });
  if (must_wait(state_.removing, now_)) return;
  tell_waiting_drains();
  if (result_.decision.remove.empty()) return;
  std::vector<std::string> ids = draining();
  std::erase_if(ids, [&](const std::string& id) { return !find_executor(result_.fleet, id); });
  ids.insert(ids.end(), result_.decision.remove.begin(), result_.decision.remove.end());
  const Removable removable = callbacks_.scaler->removable(ids);
  if (!removable.reason.empty()) result_.notes.push_back("not removed: " + removable.reason);
  for (const std::string& id : result_.decision.remove) {
    const ExecutorObservation* seen = find_executor(result_.fleet, id);
    const bool goes = std::ranges::find(removable.ids, id) != removable.ids.end();
    if (seen && goes && !find_waiting_drain(state_, id, now_)) drain_one(*seen);
  }
}

/// Executors that could not be drained are told to drain less and less often. The decision passes
/// over them, but for the last master, which no other executor can replace.
void FleetActions::tell_waiting_drains() {
  const auto& named = result_.decision.remove;
  for (const FailedDrain& each : state_.failed_drains) {
    const bool named_still = std::find(named.begin(), named.end(), each.id) != named.end();
    const bool passed_over = result_.decision.numbers.undrainable > 0;
    if (!must_wait(each.backoff, now_) || !(named_still || passed_over)) continue;
    result_.notes.push_back(each.id + " could not be drained" + times(each.backoff, now_));
  }
}

void FleetActions::failed(int& count, OrderBackoff& backoff, const std::string& what) {
  ++count;
  note_failure(backoff, settings_.rules.interval, now_);
  result_.notes.push_back(what + next_try(backoff, now_));
}

void FleetActions::drain_failed(const std::string& id, const std::string& problem) {
  auto& drains = state_.failed_drains;
  auto found = std::ranges::find(drains, id, &FailedDrain::id);
  if (found == drains.end()) found = drains.insert(drains.end(), {id, {}});
  failed(result_.failed_drains, found->backoff, id + " cannot be drained: " + problem);
}

void FleetActions::drain_one(const ExecutorObservation& seen) {
  state_.departing.push_back({seen.id, DepartingExecutor::Step::draining, now_});
  callbacks_.save(state_);
  const ToldExecutor told = callbacks_.tell(seen, "drain");
  if (!told.problem.empty()) {
    // It may have begun to drain, and only the answer was lost.
    callbacks_.tell(seen, "resume");
    const auto answer = callbacks_.ask(seen);
    const auto* report = std::get_if<ExecutorReport>(&answer);
    if (report && !report->draining) forget_departing(seen.id);
    drain_failed(seen.id, told.problem);
    return;
  }
  std::erase_if(state_.failed_drains, [&](const FailedDrain& each) { return each.id == seen.id; });
  if (told.jobs > 0) {
    take_back(seen, "it got a job meanwhile");
  } else {
    result_.drained.push_back(seen.id);
  }
}

std::vector<std::string> FleetActions::add() {
  const int count = result_.decision.add - static_cast<int>(result_.kept.size());
  if (count <= 0) return {};
  if (must_wait(state_.adding, now_)) {
    result_.notes.push_back("the scaler failed to add" + times(state_.adding, now_));
    return {};
  }
  const auto names = name_executors(named(result_.observation.executors), count);
  const bool remembered = settings_.ordered == FleetSettings::Ordered::remembered;
  if (remembered) {
    for (const std::string& name : names) {
      // Left from a removed executor of the same name.
      forget_departing(name);
      state_.ordered.push_back({name, now_});
    }
    callbacks_.save(state_);
  }
  const ScalerReply reply = callbacks_.scaler->add(names);
  // Where the list includes what was ordered, someone else names it.
  if (remembered) {
    result_.added = reply.done;
  } else {
    result_.added_pods = static_cast<int>(reply.done.size());
  }
  std::set<std::string> may_come(reply.done.begin(), reply.done.end());
  may_come.insert(reply.unsure.begin(), reply.unsure.end());
  for (const std::string& name : names) {
    if (may_come.contains(name)) continue;
    std::erase_if(state_.ordered, [&](const auto& order) { return order.name == name; });
  }
  if (!reply.done.empty()) state_.rules = after_change(state_.rules, now_);
  if (!reply.problem.empty()) {
    failed(result_.failed_adds, state_.adding, "the scaler did not add: " + reply.problem);
  } else if (!remembered) {
    state_.adding = {0, now_};
  }
  return remembered ? names : std::vector<std::string>{};
}

void FleetActions::forget_departing(const std::string& id) {
  std::erase_if(state_.departing, [&](const auto& each) { return each.id == id; });
}

std::vector<std::string> FleetActions::draining() const {
  std::vector<std::string> ids;
  for (const DepartingExecutor& each : state_.departing) {
    if (each.step == DepartingExecutor::Step::draining) ids.push_back(each.id);
  }
  return ids;
}

}  // namespace sluice

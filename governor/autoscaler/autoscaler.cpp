#include "governor/autoscaler/autoscaler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "governor/autoscaler/fleet.h"
#include "governor/autoscaler/windows.h"

namespace sluice {
namespace {

ScaleDecision nothing(const Fleet& fleet, ScaleReason reason) {
  return {0, {}, reason, fleet.numbers};
}

ScaleDecision add(const Fleet& fleet, const AutoscaleOptions& options, int need,
                  ScaleReason reason) {
  ScaleDecision decision = nothing(fleet, reason);
  decision.numbers.need = need;
  decision.add = std::min({options.add, need, options.most() - fleet.there});
  return decision;
}

/// `kill_master`: the last executor, if it is the master.
bool is_done(const Observation& observation, const Fleet& fleet, const AutoscaleOptions& options) {
  if (!options.kill_master || fleet.waits || !fleet.is_stable() || fleet.there != 1) return false;
  const Executor& last = observation.executors.front();
  return last.master && is_due(last, options);
}

/// Removes idle executors, down to `keep`. Unseen executors may be gone, so none is removed because
/// of them.
ScaleDecision remove(const Observation& observation, const Fleet& fleet,
                     const AutoscaleOptions& options, int keep) {
  if (is_done(observation, fleet, options)) {
    ScaleDecision decision = nothing(fleet, ScaleReason::done);
    decision.numbers.due = 1;
    decision.remove.push_back(observation.executors.front().id);
    return decision;
  }
  if (!fleet.is_stable()) return nothing(fleet, ScaleReason::not_stable);
  const ScaleNumbers& numbers = fleet.numbers;
  if (numbers.executors <= options.least()) return nothing(fleet, ScaleReason::at_min);
  Removal removal =
      choose_removal(observation.executors, options, numbers.executors - numbers.blind - keep);
  ScaleDecision decision = nothing(fleet, ScaleReason::idle);
  decision.numbers.due = removal.due;
  decision.numbers.undrainable = removal.undrainable;
  if (removal.due == 0) {
    decision.reason = ScaleReason::none_due;
  } else if (removal.ids.empty()) {
    decision.reason = ScaleReason::blind;
  }
  decision.remove = std::move(removal.ids);
  return decision;
}

ScaleDecision decide_by_slots(const Observation& observation, const Fleet& fleet,
                              const AutoscaleOptions& options) {
  const ScaleNumbers& numbers = fleet.numbers;
  if (!fleet.waits && numbers.executors >= options.least()) {
    return remove(observation, fleet, options, options.least());
  }
  if (fleet.there >= options.most()) return nothing(fleet, ScaleReason::at_max);
  const bool has_slots = numbers.slots > 0 || fleet.unseen;
  if (!fleet.is_stable() && has_slots) return nothing(fleet, ScaleReason::not_stable);
  if (numbers.executors < options.least()) {
    return add(fleet, options, options.least() - numbers.executors, ScaleReason::below_min);
  }
  if (fleet.unseen) return nothing(fleet, ScaleReason::blind);
  if (!has_slots) return add(fleet, options, 1, ScaleReason::no_slots);
  const std::int64_t short_of = numbers.queued - fleet.free_slots();
  if (short_of <= 0) return nothing(fleet, ScaleReason::fits);
  if (numbers.waited <= options.wait) return nothing(fleet, ScaleReason::young);
  const std::int64_t need = (short_of + fleet.usual_slots - 1) / fleet.usual_slots;
  return add(fleet, options, static_cast<int>(std::min<std::int64_t>(need, options.most())),
             ScaleReason::waited);
}

/// The number of executors that hold the demand if each holds `target` of a window of `mean`
/// points, before `max` and `min`. A larger job counts as one executor, however large it is: a
/// second one would not help it.
double executors_for(const Observation& observation, Points usage, double mean,
                     const AutoscaleOptions& options) {
  const double each = options.target * std::max(mean, static_cast<double>(options.floor.value));
  double demand = static_cast<double>(usage.value);
  for (const QueuedJob& job : observation.queued) {
    if (!job.held)
      demand += std::min(each, static_cast<double>(std::max<std::int64_t>(1, job.cost.value)));
  }
  constexpr double kRounding = 1e-9;
  return std::ceil(demand / each - kRounding);
}

int within_bounds(double executors, const AutoscaleOptions& options) {
  return static_cast<int>(std::clamp(executors, static_cast<double>(options.least()),
                                     static_cast<double>(options.most())));
}

/// Without an executor there is no window to divide by; follow StarCluster's rules.
ScaleDecision decide_without_windows(const Observation& observation, const Fleet& fleet,
                                     const AutoscaleOptions& options) {
  const int least = options.least();
  if (!fleet.waits && least == 0) return remove(observation, fleet, options, 0);
  if (fleet.there >= options.most()) return nothing(fleet, ScaleReason::at_max);
  return least > 0 ? add(fleet, options, least, ScaleReason::below_min)
                   : add(fleet, options, 1, ScaleReason::no_slots);
}

ScaleDecision decide_by_windows(const Observation& observation, Fleet fleet,
                                const AutoscaleState& state, const AutoscaleOptions& options) {
  ScaleNumbers& numbers = fleet.numbers;
  if (numbers.executors == 0) return decide_without_windows(observation, fleet, options);
  const bool asked = fleet.waits || numbers.usage > Points{0};
  const bool known = !fleet.unseen && (state.mean || !asked);
  const auto wanted = [&](Points usage, double mean) {
    return within_bounds(executors_for(observation, usage, mean, options), options);
  };
  // Windows that shrank everywhere are no reason to add executors, but one to keep them.
  const bool shrunk = state.shrunk_since && numbers.mean_now > 0;
  const double small = shrunk ? std::min(numbers.mean, numbers.mean_now) : numbers.mean;
  const int wanted_now = known ? wanted(numbers.usage, small) : numbers.executors;
  const int wanted_then = known ? wanted(numbers.usage, numbers.mean) : numbers.executors;
  numbers.desired = std::max(wanted_then, options.least());
  if (std::max(wanted_now, numbers.desired) > numbers.executors) {
    const bool few = numbers.executors < options.least();
    if (fleet.there >= options.most()) return nothing(fleet, ScaleReason::at_max);
    if (shrunk && !few) return nothing(fleet, ScaleReason::runaway);
    if (!fleet.is_stable()) return nothing(fleet, ScaleReason::not_stable);
    return add(fleet, options, numbers.desired - numbers.executors,
               few ? ScaleReason::below_min : ScaleReason::demand);
  }
  if (!known) return nothing(fleet, ScaleReason::blind);
  if (numbers.desired == numbers.executors && asked) {
    const bool all_there_may_be = numbers.desired == options.most();
    const bool more = all_there_may_be && executors_for(observation, numbers.usage, numbers.mean,
                                                        options) > options.most();
    return nothing(fleet, more ? ScaleReason::at_max : ScaleReason::fits);
  }
  return remove(observation, fleet, options, wanted(numbers.usage + fleet.unseen_room, small));
}

/// Whether sensors are red on more than half of the executors, of at least two: they may all wait
/// for one slow dependency.
bool shares_trouble(const Fleet& fleet) {
  return fleet.red >= 2 && 2 * fleet.red > fleet.numbers.executors;
}

/// Executors to add to those there are, before `max`: what waits, in terms of what a full one
/// holds. Each that has room may take as much.
double more_than_there_are(const Observation& observation, const Fleet& fleet,
                           const AutoscaleOptions& options) {
  const ScaleNumbers& numbers = fleet.numbers;
  if (numbers.full == 0) return 0;
  const double wanted = executors_for(observation, Points{0}, numbers.mean, options);
  return std::max(0.0, wanted - (numbers.executors - numbers.full));
}

/// Full executors ask for more; one that has a job is kept, however little of its window it uses.
ScaleDecision decide_by_full(const Observation& observation, Fleet fleet,
                             const AutoscaleState& state, const AutoscaleOptions& options,
                             TimePoint now) {
  ScaleNumbers& numbers = fleet.numbers;
  const int least = options.least();
  const double more = more_than_there_are(observation, fleet, options);
  const bool was_full = state.full_at && now - *state.full_at <= options.smooth;
  const bool keeps = fleet.waits || was_full || numbers.blind > 0;
  const double wanted = keeps ? numbers.executors + more : fleet.in_use + numbers.booting;
  numbers.desired = within_bounds(wanted, options);
  if (numbers.desired > numbers.executors) {
    const bool few = numbers.executors < least;
    if (fleet.there >= options.most()) return nothing(fleet, ScaleReason::at_max);
    if (shares_trouble(fleet) && !few) return nothing(fleet, ScaleReason::runaway);
    if (!fleet.is_stable()) return nothing(fleet, ScaleReason::not_stable);
    return add(fleet, options, numbers.desired - numbers.executors,
               few ? ScaleReason::below_min : ScaleReason::demand);
  }
  if (fleet.unseen) return nothing(fleet, ScaleReason::blind);
  if (more > 0) return nothing(fleet, ScaleReason::at_max);
  if (numbers.desired == numbers.executors && (keeps || fleet.in_use > 0)) {
    return nothing(fleet, ScaleReason::fits);
  }
  return remove(observation, fleet, options, numbers.desired);
}

/// If the clock went back, the last change must not stay in the future for long.
AutoscaleState not_after(AutoscaleState state, TimePoint now) {
  state.started = std::min(state.started, now);
  state.mean_at = std::min(state.mean_at, now);
  if (state.last_change) state.last_change = std::min(*state.last_change, now);
  if (state.shrunk_since) state.shrunk_since = std::min(*state.shrunk_since, now);
  if (state.full_at) state.full_at = std::min(*state.full_at, now);
  return state;
}

}  // namespace

AutoscaleState start_autoscaler(TimePoint now) {
  AutoscaleState state;
  state.started = now;
  state.mean_at = now;
  return state;
}

AutoscaleState after_change(AutoscaleState state, TimePoint now) {
  state.last_change = now;
  return state;
}

ScaleStep decide(const Observation& observation, AutoscaleState state,
                 const AutoscaleOptions& options, TimePoint now) {
  state = not_after(std::move(state), now);
  Fleet fleet = count_fleet(observation, state, options, now);
  if (observation.blind) return {nothing(fleet, ScaleReason::blind), std::move(state)};
  if (options.rules == ScaleRules::starcluster) {
    return {decide_by_slots(observation, fleet, options), std::move(state)};
  }
  state = remember_windows(std::move(state), observation, options, now);
  const double least = static_cast<double>(options.floor.value);
  fleet.numbers.mean = std::max(least, state.mean.value_or(0));
  fleet.numbers.mean_now = mean_window(observation.executors).value_or(0);
  if (all_report_fullness(observation.executors)) {
    ScaleNumbers& numbers = fleet.numbers;
    numbers.by_full = true;
    if (numbers.full > 0) state.full_at = now;
    const double held = static_cast<double>(fleet.full_usage.value);
    // One that is full with nothing in use says nothing about what a healthy one holds.
    if (fleet.full_in_use > 0) numbers.mean = std::max(least, held / fleet.full_in_use);
    ScaleDecision decision = decide_by_full(observation, std::move(fleet), state, options, now);
    return {std::move(decision), std::move(state)};
  }
  ScaleDecision decision = decide_by_windows(observation, std::move(fleet), state, options);
  return {std::move(decision), std::move(state)};
}

}  // namespace sluice

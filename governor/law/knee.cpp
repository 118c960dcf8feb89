#include "governor/law/knee.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/seconds.h"
#include "governor/law/congestion_signal.h"
#include "governor/law/cores.h"
#include "governor/law/proportional_cut.h"
#include "governor/law/window_growth.h"

namespace sluice {
namespace {

using std::chrono::seconds;

/// Between this and the knee growth is careful.
constexpr double kBusyBelow = 0.9;
constexpr double kCarefulGrowth = 1.05;
constexpr Duration kYieldMean = seconds(3);
constexpr Duration kUnused = seconds(1);
constexpr Duration kUsagePeak = seconds(1);
/// Above this part of the time spent waiting for I/O, growth must prove itself.
constexpr double kIoWaiting = 0.2;
constexpr double kIoGain = 1.25;
constexpr int kMostFruitless = 3;
constexpr Duration kProbeAgain = seconds(10);
constexpr Duration kReportEvery = seconds(1);
constexpr Duration kBlindAfter = seconds(10);

WindowStep unchanged(WindowState state) { return {std::move(state), std::nullopt, {}}; }

/// Sets the size within the bounds.
WindowStep resized(const WindowParameters& parameters, WindowState state, Points size,
                   WindowCause cause) {
  const Points before = state.size;
  state.size = std::clamp(size, parameters.minimum, parameters.maximum);
  if (state.size == before) return unchanged(std::move(state));
  return {std::move(state), cause, {}};
}

/// The size below which the window does not yield to others.
Points half_of(const MachineUse& use) { return points_of(use.cpus / 2); }

void remember(KneeState& knee, const MachineUse& use) {
  knee.recent.push_back(use);
  Duration span{0};
  for (const MachineUse& each : knee.recent) span += each.span;
  while (span - knee.recent.front().span >= kYieldMean) {
    span -= knee.recent.front().span;
    knee.recent.pop_front();
  }
}

void record_usage_peak(KneeState& knee, Points usage, TimePoint now) {
  const bool is_old = !knee.usage_peak_at || now - *knee.usage_peak_at > kUsagePeak;
  if (usage < knee.usage_peak && !is_old) return;
  knee.usage_peak = usage;
  knee.usage_peak_at = now;
}

/// Mean number of waiting tasks per CPU. If each job waits for a moment only, those of jobs that
/// run for so long that their wait is measured: compilers queue, however many brief jobs end beside
/// them.
double standing_queue(const MachineUse& use) {
  const bool is_short = use.waiting * use.cpus < use.ended * to_seconds(kShortWait);
  return is_short ? use.own_waiting : use.waiting;
}

/// Whether in the mean of three seconds twice the target waited while the CPUs were busy.
bool is_beyond_knee(const KneeState& knee) {
  double span = 0, busy = 0, waiting = 0;
  for (const MachineUse& each : knee.recent) {
    const auto length = static_cast<double>(each.span.count());
    span += length;
    busy += length * each.busy;
    waiting += length * standing_queue(each);
  }
  if (span < static_cast<double>(Duration(kYieldMean).count())) return false;
  return busy >= kBusyKnee * span && waiting > 2 * kWaitingTarget * span;
}

bool is_due(const std::optional<TimePoint>& last, Duration pause, TimePoint now) {
  return !last || now - *last >= pause;
}

WindowStep yield(const WindowParameters& parameters, WindowState state, const WindowInput& input) {
  const MachineUse& use = *input.knee.use;
  state.knee.yielded = input.now;
  state.knee.recent.clear();
  // Only the machine's own figures include unmeasured jobs.
  const double seen = use.cores + use.waiting * use.cpus;
  const double needed = std::max(input.knee.demand + input.knee.neighbours, seen);
  if (needed <= use.cpus) return unchanged(std::move(state));
  const Points fair = std::max(scaled(input.usage, use.cpus / needed), half_of(use));
  if (fair >= state.size) return unchanged(std::move(state));
  return resized(parameters, std::move(state), fair, WindowCause::yield);
}

/// With less free than the next job costs. Which jobs start nevertheless, `Pass::passes_window`
/// says.
WindowStep hold(const WindowParameters& parameters, WindowState state, const WindowInput& input) {
  if (input.knee.next <= 0) return unchanged(std::move(state));
  const Points slack = std::max(points_of(input.knee.next), Points{1}) - Points{1};
  const Points most = std::max(state.knee.usage_peak + slack, half_of(*input.knee.use));
  if (most >= state.size) return unchanged(std::move(state));
  return resized(parameters, std::move(state), most, WindowCause::knee);
}

/// Nothing before and nothing now is no gain: a network's filesystem moves no sectors.
bool has_gained(double now, double before) { return now > before && now >= kIoGain * before; }

/// Whether more jobs would bring more through while tasks wait for I/O.
bool may_grow_despite_io(KneeState& knee, const WindowInput& input) {
  const MachineUse& use = *input.knee.use;
  if (!waits_for_io(use)) {
    knee.fruitless = 0;
    return true;
  }
  if (knee.fruitless >= kMostFruitless && is_due(knee.grown, kProbeAgain, input.now)) {
    knee.fruitless = kMostFruitless - 1;
    return true;
  }
  if (knee.fruitless >= kMostFruitless) return false;
  const bool gained =
      has_gained(use.cores, knee.cores_before) || has_gained(use.sectors, knee.sectors_before);
  knee.fruitless = gained ? 0 : knee.fruitless + 1;
  return knee.fruitless < kMostFruitless;
}

WindowStep grow_below_knee(const WindowParameters& parameters, WindowState state,
                           const WindowInput& input, double pressure) {
  const MachineUse& use = *input.knee.use;
  if (!is_due(state.knee.grown, input.knee.ramp, input.now)) return unchanged(std::move(state));
  if (!may_grow_despite_io(state.knee, input)) return unchanged(std::move(state));
  const bool careful = use.busy >= kBusyBelow && !is_at_knee(use);
  const Points job = std::max(points_of(input.knee.next), Points{1});
  const Points little = std::max(scaled(state.size, kCarefulGrowth), state.size + job);
  WindowStep step = careful ? resized(parameters, std::move(state), little, WindowCause::growth)
                            : grow_window(parameters, std::move(state), pressure);
  if (!step.cause) return step;
  step.state.knee.grown = input.now;
  step.state.knee.cores_before = use.cores;
  step.state.knee.sectors_before = use.sectors;
  return step;
}

WindowStep fall_if_unused(const WindowParameters& parameters, WindowState state,
                          const WindowInput& input) {
  const Points used = input.usage + input.usage;
  if (input.refused || used >= state.size || state.size <= parameters.initial) {
    state.knee.unused_since.reset();
    return unchanged(std::move(state));
  }
  if (!state.knee.unused_since) state.knee.unused_since = input.now;
  const Duration pause = std::max(Duration(kUnused), input.knee.ramp);
  if (!is_due(state.knee.unused_since, pause, input.now)) return unchanged(std::move(state));
  return resized(parameters, std::move(state), std::max(used, parameters.initial),
                 WindowCause::unused);
}

bool was_measured_lately(const WindowState& state, TimePoint now) {
  return state.knee.measured && now - *state.knee.measured < kBlindAfter;
}

}  // namespace

bool is_at_knee(const MachineUse& use) {
  return use.busy >= kBusyKnee || standing_queue(use) > kWaitingTarget;
}

bool waits_for_io(const MachineUse& use) { return use.io_waiting > kIoWaiting; }

bool is_full_of_io(const KneeState& state, const MachineUse& use) {
  return state.fruitless >= kMostFruitless && waits_for_io(use);
}

bool can_see_knee(const WindowState& state, const WindowInput& input) {
  return input.knee.use || was_measured_lately(state, input.now);
}

bool is_worth_reporting(const std::optional<WindowChange>& reported, const WindowChange& change) {
  if (!reported) return true;
  if (change.at - reported->at < kReportEvery) return false;
  const std::int64_t by = std::abs(change.to.value - reported->to.value);
  return (by > 0 && change.cause != reported->cause) || 10 * by >= reported->to.value;
}

WindowStep step_knee(const WindowParameters& parameters, const WindowState& before,
                     const WindowInput& input) {
  WindowState state = before;
  state.wanted = state.wanted || input.refused;
  const Congestion congestion = congestion_of(Law::knee, input.sensors);
  if (congestion.gate_red) {
    state.knee.recent.clear();
    return unchanged(std::move(state));
  }
  if (congestion.congestion_red) {
    state.knee.recent.clear();
    return cut_window(parameters, std::move(state), input, congestion);
  }
  if (!input.knee.use) return unchanged(std::move(state));

  const MachineUse& use = *input.knee.use;
  if (!was_measured_lately(before, input.now)) {
    state.threshold = parameters.threshold;
    state.knee.recent.clear();
  }
  state.knee.measured = input.now;
  remember(state.knee, use);
  record_usage_peak(state.knee, input.usage, input.now);
  const Duration pause = std::max(Duration(kYieldMean), input.knee.ramp);
  if (is_beyond_knee(state.knee) && is_due(state.knee.yielded, pause, input.now)) {
    return yield(parameters, std::move(state), input);
  }
  const bool wanted = std::exchange(state.wanted, false) && congestion.fresh;
  const bool crowded_out = input.knee.demand < use.cpus / 2;
  if (is_at_knee(use) && !(wanted && crowded_out)) return hold(parameters, std::move(state), input);
  if (!wanted) return fall_if_unused(parameters, std::move(state), input);
  state.knee.unused_since.reset();
  WindowParameters bounded = parameters;
  if (is_at_knee(use)) {
    bounded.maximum = std::clamp(half_of(use), state.size, parameters.maximum);
  }
  return grow_below_knee(bounded, std::move(state), input, congestion.pressure);
}

}  // namespace sluice

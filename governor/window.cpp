#include "governor/window.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

/// Growth is not reduced up to this pressure.
constexpr double kTargetPressure = 0.5;
/// No cut takes more than half: one wrong reading must not discard what was learned.
constexpr double kDeepestCut = 0.5;

/// Everything a law needs to know about the sensors.
struct Verdict {
  bool congestion_red = false;
  bool gate_red = false;
  bool fresh = true;
  double pressure = 0;  ///< Of the worst congestion sensor.
  std::string_view worst;
};

/// Under `rfc` every sensor moves the window, except the operator's switch and a gate that cannot
/// be read, which says nothing about the window.
Acts acts_under(Law law, const JudgedSensor& sensor) {
  const bool is_blind_gate = sensor.acts == Acts::gate && !sensor.fresh;
  if (law == Law::adaptive || is_blind_gate) return sensor.acts;
  return sensor.name == "pause" ? Acts::gate : Acts::congestion;
}

Verdict verdict_of(Law law, std::span<const JudgedSensor> sensors) {
  Verdict verdict;
  std::string_view worst_red;
  double worst_red_pressure = -1;
  for (const JudgedSensor& sensor : sensors) {
    verdict.fresh = verdict.fresh && sensor.fresh;
    if (acts_under(law, sensor) == Acts::gate) {
      verdict.gate_red = verdict.gate_red || sensor.red;
      continue;
    }
    verdict.pressure = std::max(verdict.pressure, sensor.pressure);
    if (!sensor.red) continue;
    verdict.congestion_red = true;
    if (sensor.pressure > worst_red_pressure) {
      worst_red_pressure = sensor.pressure;
      worst_red = sensor.name;
    }
  }
  verdict.worst = worst_red;
  return verdict;
}

/// Whole points, rounded down; a product that is whole except for binary rounding stays whole.
Points scaled(Points points, double factor) {
  return Points{
      static_cast<std::int64_t>(std::floor(static_cast<double>(points.value) * factor + 1e-6))};
}

double part_used(Points usage, Points size) {
  return static_cast<double>(usage.value) / static_cast<double>(size.value);
}

WindowStep step_rfc(const WindowParameters& parameters, const WindowState& state,
                    const WindowInput& input) {
  const Verdict verdict = verdict_of(Law::rfc, input.sensors);
  WindowStep step{state, std::nullopt, verdict.worst};
  if (verdict.gate_red) return step;
  if (verdict.congestion_red) {
    step.state.size =
        std::max(parameters.minimum, std::min(state.size, input.usage - parameters.step));
    if (step.state.size != state.size) step.cause = WindowCause::red;
    return step;
  }
  if (!verdict.fresh || part_used(input.usage, state.size) <= parameters.increase_above) {
    return step;
  }
  step.state.size = std::min(parameters.maximum, state.size + parameters.step);
  if (step.state.size != state.size) step.cause = WindowCause::growth;
  return step;
}

/// One cut, however many sensors are red.
WindowStep cut(const WindowParameters& parameters, WindowState state, const WindowInput& input,
               const Verdict& verdict) {
  const bool settled = !state.last_cut || input.now - *state.last_cut >= parameters.cut_settle;
  const bool took_effect = input.usage <= state.size || verdict.pressure >= parameters.hard;
  const bool first = !state.last_cut;
  if (!settled || !(first || took_effect)) return {state, std::nullopt, {}};
  const double excess = std::max(0.0, verdict.pressure - 1);
  const double factor = std::max(kDeepestCut, 1 - parameters.cut_gain * excess);
  const Points before = state.size;
  const Points held = std::min(state.size, input.usage);
  state.size =
      std::max(parameters.minimum, std::min(scaled(held, factor), input.usage - Points{1}));
  state.threshold = state.size;
  state.last_cut = input.now;
  state.round_began = input.now;
  state.wanted = false;
  if (state.size == before) return {state, std::nullopt, {}};
  return {state, WindowCause::red, verdict.worst};
}

/// The end of a round in which more was wanted and everything was green.
WindowStep grow(const WindowParameters& parameters, WindowState state, double pressure) {
  const double headroom = std::clamp((1 - pressure) / (1 - kTargetPressure), 0.0, 1.0);
  const Points before = state.size;
  if (headroom <= 0) return {state, std::nullopt, {}};
  const bool slow_start = state.size < state.threshold;
  const Points least = state.size + Points{1};
  if (slow_start) {
    const Points doubled = std::max(least, scaled(state.size, std::exp2(headroom)));
    state.size = std::min(state.threshold, doubled);
  } else {
    state.size = std::max(least, state.size + scaled(parameters.step, headroom));
  }
  state.size = std::min(state.size, parameters.maximum);
  if (state.size == before) return {state, std::nullopt, {}};
  return {state, slow_start ? WindowCause::slow_start : WindowCause::growth, {}};
}

WindowStep step_adaptive(const WindowParameters& parameters, WindowState state,
                         const WindowInput& input) {
  state.wanted = state.wanted || input.refused;
  if (input.usage > Points{0}) {
    state.idle_since.reset();
  } else if (!state.idle_since) {
    state.idle_since = input.now;
  }

  const Verdict verdict = verdict_of(Law::adaptive, input.sensors);
  if (verdict.gate_red) return {state, std::nullopt, {}};
  const bool idle_long =
      state.idle_since && input.now - *state.idle_since >= parameters.idle_restart;
  if (idle_long && state.size > parameters.initial) {
    state.size = parameters.initial;
    return {state, WindowCause::idle_restart, {}};
  }
  if (verdict.congestion_red) return cut(parameters, state, input, verdict);
  if (input.now - state.round_began < parameters.round) return {state, std::nullopt, {}};

  const bool well_used = part_used(input.usage, state.size) >= parameters.increase_above;
  const bool wanted = state.wanted || (well_used && input.pending);
  state.round_began = input.now;
  state.wanted = false;
  if (!wanted || !verdict.fresh) return {state, std::nullopt, {}};
  return grow(parameters, state, verdict.pressure);
}

}  // namespace

WindowState open_window(const WindowParameters& parameters, TimePoint now) {
  WindowState state;
  state.size = parameters.initial;
  state.threshold = parameters.threshold;
  state.round_began = now;
  return state;
}

WindowStep step_window(const WindowParameters& parameters, const WindowState& state,
                       const WindowInput& input) {
  return parameters.law == Law::rfc ? step_rfc(parameters, state, input)
                                    : step_adaptive(parameters, state, input);
}

WindowState refit_window(const WindowParameters& parameters, const WindowState& state) {
  WindowState refitted = state;
  refitted.size = std::clamp(state.size, parameters.minimum, parameters.maximum);
  refitted.threshold = std::min(state.threshold, parameters.maximum);
  return refitted;
}

}  // namespace sluice

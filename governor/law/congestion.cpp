#include "governor/law/congestion.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

/// Growth is not reduced up to this pressure.
constexpr double kTargetPressure = 0.5;
/// No cut takes more than half: one wrong reading must not discard what was learned.
constexpr double kDeepestCut = 0.5;

/// Under `rfc` every sensor moves the window, except the operator's switch and a gate that cannot
/// be read, which says nothing about the window.
Acts acts_under(Law law, const JudgedSensor& sensor) {
  const bool is_blind_gate = sensor.acts == Acts::gate && !sensor.fresh;
  if (law != Law::rfc || is_blind_gate) return sensor.acts;
  return sensor.name == "pause" ? Acts::gate : Acts::congestion;
}

}  // namespace

Congestion congestion_of(Law law, std::span<const JudgedSensor> sensors) {
  Congestion congestion;
  std::string_view worst_red;
  double worst_red_pressure = -1;
  for (const JudgedSensor& sensor : sensors) {
    congestion.fresh = congestion.fresh && sensor.fresh;
    if (acts_under(law, sensor) == Acts::gate) {
      congestion.gate_red = congestion.gate_red || sensor.red;
      continue;
    }
    congestion.pressure = std::max(congestion.pressure, sensor.pressure);
    if (!sensor.red) continue;
    congestion.congestion_red = true;
    if (sensor.pressure > worst_red_pressure) {
      worst_red_pressure = sensor.pressure;
      worst_red = sensor.name;
    }
  }
  congestion.worst = worst_red;
  return congestion;
}

Points scaled(Points points, double factor) {
  return Points{
      static_cast<std::int64_t>(std::floor(static_cast<double>(points.value) * factor + 1e-6))};
}

WindowStep cut(const WindowParameters& parameters, WindowState state, const WindowInput& input,
               const Congestion& congestion) {
  const bool settled = !state.last_cut || input.now - *state.last_cut >= parameters.cut_settle;
  const bool took_effect = input.usage <= state.size || congestion.pressure >= parameters.hard;
  const bool first = !state.last_cut;
  if (!settled || !(first || took_effect)) return {state, std::nullopt, {}};
  const double excess = std::max(0.0, congestion.pressure - 1);
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
  return {state, WindowCause::red, congestion.worst};
}

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

}  // namespace sluice

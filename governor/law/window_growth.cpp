#include "governor/law/window_growth.h"

#include <algorithm>
#include <cmath>

#include "governor/law/cores.h"

namespace sluice {
namespace {

/// Growth is not reduced up to this pressure.
constexpr double kTargetPressure = 0.5;

}  // namespace

WindowStep grow_window(const WindowParameters& parameters, WindowState state, double pressure) {
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

#include "governor/law/window_adjustment.h"

#include <algorithm>
#include <cmath>

#include "governor/law/cores.h"

namespace sluice {
namespace {

/// Growth is not reduced up to this pressure.
constexpr double kTargetPressure = 0.5;

/// No cut takes more than half: one wrong reading must not discard what was learned.
constexpr double kDeepestCut = 0.5;

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

WindowStep cut_window(const WindowParameters& parameters, WindowState state,
                      const WindowInput& input, const Congestion& congestion) {
  const bool settled = !state.last_cut || input.now - *state.last_cut >= parameters.cut_settle;
  const bool took_effect = !state.last_cut || input.usage <= state.size;
  const bool is_hard = congestion.pressure >= parameters.hard;
  if (!settled || !(took_effect || is_hard)) return {state, std::nullopt, {}};
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

}  // namespace sluice

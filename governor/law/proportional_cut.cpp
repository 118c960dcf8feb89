#include "governor/law/proportional_cut.h"

#include <algorithm>

#include "governor/law/cores.h"

namespace sluice {
namespace {

/// No cut takes more than half: one wrong reading must not discard what was learned.
constexpr double kDeepestCut = 0.5;

}  // namespace

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

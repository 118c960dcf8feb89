#include "governor/law/window.h"

#include <algorithm>

#include "governor/law/adaptive.h"
#include "governor/law/knee.h"
#include "governor/law/rfc.h"

namespace sluice {

WindowState open_window(const WindowParameters& parameters, TimePoint now) {
  WindowState state;
  state.size = parameters.initial;
  state.threshold = parameters.threshold;
  state.round_began = now;
  return state;
}

WindowStep step_window(const WindowParameters& parameters, const WindowState& state,
                       const WindowInput& input) {
  if (parameters.law == Law::rfc) return step_rfc(parameters, state, input);
  if (parameters.law == Law::adaptive) return step_adaptive(parameters, state, input);
  if (can_see_knee(state, input)) return step_knee(parameters, state, input);
  WindowState blind = state;
  blind.threshold = std::min(state.threshold, parameters.blind_threshold);
  return step_adaptive(parameters, blind, input);
}

WindowState refit_window(const WindowParameters& parameters, const WindowState& state) {
  WindowState refitted = state;
  refitted.size = std::clamp(state.size, parameters.minimum, parameters.maximum);
  refitted.threshold = std::min(state.threshold, parameters.maximum);
  return refitted;
}

}  // namespace sluice

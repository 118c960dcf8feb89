#include "governor/law/window.h"

#include <algorithm>

#include "governor/law/congestion_signal.h"
#include "governor/law/cores.h"
#include "governor/law/knee.h"
#include "governor/law/window_adjustment.h"

namespace sluice {
namespace {

WindowStep step_adaptive(const WindowParameters& parameters, WindowState state,
                         const WindowInput& input) {
  state.wanted = state.wanted || input.refused;
  if (input.usage > Points{0}) {
    state.idle_since.reset();
  } else if (!state.idle_since) {
    state.idle_since = input.now;
  }

  const Congestion congestion = congestion_of(Law::adaptive, input.sensors);
  if (congestion.gate_red) return {state, std::nullopt, {}};
  const bool idle_long =
      state.idle_since && input.now - *state.idle_since >= parameters.idle_restart;
  if (idle_long && state.size > parameters.initial) {
    state.size = parameters.initial;
    return {state, WindowCause::idle_restart, {}};
  }
  if (congestion.congestion_red) return cut_window(parameters, state, input, congestion);
  if (input.now - state.round_began < parameters.round) return {state, std::nullopt, {}};

  const bool well_used = part_used(input.usage, state.size) >= parameters.increase_above;
  const bool wanted = state.wanted || (well_used && input.pending);
  state.round_began = input.now;
  state.wanted = false;
  if (!wanted || !congestion.fresh) return {state, std::nullopt, {}};
  return grow_window(parameters, state, congestion.pressure);
}

WindowStep step_rfc(const WindowParameters& parameters, const WindowState& state,
                    const WindowInput& input) {
  const Congestion congestion = congestion_of(Law::rfc, input.sensors);
  WindowStep step{state, std::nullopt, congestion.worst};
  if (congestion.gate_red) return step;
  if (congestion.congestion_red) {
    step.state.size =
        std::max(parameters.minimum, std::min(state.size, input.usage - parameters.step));
    if (step.state.size != state.size) step.cause = WindowCause::red;
    return step;
  }
  if (!congestion.fresh || part_used(input.usage, state.size) <= parameters.increase_above) {
    return step;
  }
  step.state.size = std::min(parameters.maximum, state.size + parameters.step);
  if (step.state.size != state.size) step.cause = WindowCause::growth;
  return step;
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

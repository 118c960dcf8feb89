#include "governor/law/adaptive.h"

#include "governor/law/congestion_signal.h"
#include "governor/law/cores.h"
#include "governor/law/proportional_cut.h"
#include "governor/law/window_growth.h"

namespace sluice {

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

}  // namespace sluice

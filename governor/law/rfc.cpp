#include "governor/law/rfc.h"

#include <algorithm>

#include "governor/law/congestion_signal.h"
#include "governor/law/cores.h"

namespace sluice {

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

}  // namespace sluice

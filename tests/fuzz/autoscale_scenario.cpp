// A scenario of `sluice replay --autoscale`, and the decisions on it.
#include "config/scenario_autoscale.h"
#include "governor/autoscaler/autoscaler.h"
#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  const AutoscaleScenarioResult result = parse_autoscale_scenario(text, "f");
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    require(!errors->empty() && errors->size() <= 101, "there is an error, and not too many");
    return;
  }
  const auto& scenario = std::get<AutoscaleScenario>(result);
  require(!check_autoscale(scenario.options), "what is read is valid");
  AutoscaleState state = start_autoscaler(TimePoint{scenario.started});
  for (const TimedObservation& observation : scenario.observations) {
    ScaleStep step =
        decide(observation.seen, std::move(state), scenario.options, TimePoint{observation.at});
    const ScaleDecision& decision = step.decision;
    const auto there = static_cast<int>(observation.seen.executors.size());
    require(decision.add == 0 || decision.remove.empty(), "never both");
    require(decision.add == 0 || there + decision.add <= scenario.options.most(), "within max");
    require(!describe(decision).empty(), "there is a sentence");
    state = std::move(step.state);
  }
}

// A scenario of `sluice replay`.
#include "config/scenario.h"

#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  const ScenarioResult result = parse_scenario(text, "f");
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    require(!errors->empty() && errors->size() <= 101, "there is an error, and not too many");
    for (const ConfigError& error : *errors) {
      require(error.message.find('\n') == std::string::npos, "a message is one line");
    }
    return;
  }
  const auto& scenario = std::get<Scenario>(result);
  require(scenario.until.value_or(Duration{0}) >= Duration{0}, "a scenario does not end before it");
  require(find_cycles(scenario.jobs).empty(), "no jobs wait for each other");
  Duration at{0};
  for (const ScenarioJob& job : scenario.jobs) {
    require(job.at >= at && job.runs >= Duration{0}, "jobs come in order of time");
    at = job.at;
  }
}

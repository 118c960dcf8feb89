// Lock declarations, as in the API, a scenario and a configuration.
#include "sluice/locks.h"

#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto parsed = parse_locks("node", text);
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    return require(!problem->empty(), "an error says what is wrong");
  }
  const LevelLocks& locks = std::get<LevelLocks>(parsed);
  require(parse_locks("node", to_text(locks)) == parsed, "what is written can be read");
  for (const auto* names : {&locks.shared, &locks.exclusive}) {
    for (const std::string& name : *names) require(problem_of_name(name).empty(), "names are good");
  }
}

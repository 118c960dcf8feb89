// sluice.yaml.
#include "config/config.h"

#include <algorithm>

#include "config/effective.h"
#include "config_tests/yaml_writer.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check(const std::vector<ConfigError>& errors, std::string_view text) {
  require(!errors.empty() && errors.size() <= 101, "there is an error, and not too many");
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  for (const ConfigError& error : errors) {
    require(error.line >= 0 && error.line <= lines + 1, "an error stands in the file");
    require(error.message.find('\n') == std::string::npos, "a message is one line");
  }
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  const ConfigResult result = parse_config(text, "f", 2);
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    return check(*errors, text);
  }
  const auto& config = std::get<Config>(result);
  const ConfigResult again = parse_config(write_yaml(effective_values(config)), "f", 2);
  require(std::holds_alternative<Config>(again), "what is in force is valid as a file");
  describe(config);
}

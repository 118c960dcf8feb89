#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/scenario.h"

namespace sluice {

/// The errors of a scenario in a file called "f", as printed; empty if it is valid.
inline std::vector<std::string> scenario_errors(std::string_view text) {
  std::vector<std::string> errors;
  const ScenarioResult result = parse_scenario(text, "f");
  if (const auto* found = std::get_if<std::vector<ConfigError>>(&result)) {
    EXPECT_FALSE(found->empty()) << "an error without an error";
    for (const ConfigError& error : *found) errors.push_back(to_string(error));
  }
  return errors;
}

/// The scenario in a valid text.
inline Scenario scenario_of(std::string_view text, std::string file = "f") {
  EXPECT_EQ(scenario_errors(text), std::vector<std::string>{}) << text;
  ScenarioResult result = parse_scenario(text, std::move(file));
  auto* scenario = std::get_if<Scenario>(&result);
  return scenario != nullptr ? std::move(*scenario) : Scenario{};
}

}  // namespace sluice

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace sluice {

/// The errors of a text in a file called "f", as printed; empty if it is valid.
inline std::vector<std::string> errors_of(std::string_view text, double cpus = 2) {
  std::vector<std::string> errors;
  const ConfigResult result = parse_config(text, "f", cpus);
  if (const auto* found = std::get_if<std::vector<ConfigError>>(&result)) {
    EXPECT_FALSE(found->empty()) << "an error without an error";
    for (const ConfigError& error : *found) errors.push_back(to_string(error));
  }
  return errors;
}

/// The configuration in a valid text.
inline Config config_of(std::string_view text, double cpus = 2) {
  EXPECT_EQ(errors_of(text, cpus), std::vector<std::string>{}) << text;
  ConfigResult result = parse_config(text, "f", cpus);
  auto* config = std::get_if<Config>(&result);
  return config != nullptr ? *config : Config{};
}

}  // namespace sluice

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/config.h"

namespace sluice::cli {

/// Throws a std::runtime_error, with a line for each error.
[[noreturn]] void refuse(const std::string& problem);
[[noreturn]] void refuse(const std::vector<ConfigError>& errors);

/// The value of a result. Refuses the errors that are there instead.
template <typename Value>
Value value_or_refuse(std::variant<Value, std::vector<ConfigError>> result) {
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) refuse(*errors);
  return std::get<Value>(std::move(result));
}

/// The configuration in a file; the defaults if `path` is empty. Refuses one with errors.
Config config_from(const std::string& path);

/// Why a command that runs jobs itself cannot do so with these options: `memory.enforce: high` when
/// a job at its limit would stall. nullopt if it can.
std::optional<std::string> high_without_swap(const Options& options);

}  // namespace sluice::cli

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

/// Where a command run by a person keeps persistent state: `given` (--state-dir), else the
/// configuration's `state_dir`, else `$STATE_DIRECTORY`, else $XDG_STATE_HOME/sluice, else
/// ~/.local/state/sluice. nullopt if HOME is unset as well; the folder need not exist yet.
std::optional<std::string> state_folder(const std::string& given, const Config& config);
/// The same; refuses if there is none.
std::string required_state_folder(const std::string& given, const Config& config);

/// The last two of them, from the values of XDG_STATE_HOME and HOME; null if unset. Ignores
/// relative paths. Source: XDG Base Directory Specification 0.8.
std::optional<std::string> personal_state_folder(const char* state_home, const char* home);

}  // namespace sluice::cli

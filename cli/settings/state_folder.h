#pragma once

#include <optional>
#include <string>

#include "config/config.h"

namespace sluice::cli {

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

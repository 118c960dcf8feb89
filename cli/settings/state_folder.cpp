#include "cli/settings/state_folder.h"

#include <cstdlib>

#include "cli/settings/config_from.h"

namespace sluice::cli {

std::optional<std::string> state_folder(const std::string& given, const Config& config) {
  if (!given.empty()) return given;
  if (config.governing.state_dir) return config.governing.state_dir;
  if (const char* made = std::getenv("STATE_DIRECTORY"); made && *made != '\0') {
    const std::string folders = made;
    return folders.substr(0, folders.find(':'));
  }
  return personal_state_folder(std::getenv("XDG_STATE_HOME"), std::getenv("HOME"));
}

std::string required_state_folder(const std::string& given, const Config& config) {
  if (auto folder = state_folder(given, config)) return *std::move(folder);
  refuse("no state folder: HOME is not set; give --state-dir FOLDER");
}

std::optional<std::string> personal_state_folder(const char* state_home, const char* home) {
  if (state_home && *state_home == '/') return std::string(state_home) + "/sluice";
  if (home && *home == '/') return std::string(home) + "/.local/state/sluice";
  return std::nullopt;
}

}  // namespace sluice::cli

#include "cli/settings/config_from.h"

#include <cstdlib>
#include <stdexcept>

#include "service/doctor/enforce_check.h"
#include "sluice/embed.h"

namespace sluice::cli {

void refuse(const std::string& problem) { throw std::runtime_error(problem); }

void refuse(const std::vector<ConfigError>& errors) {
  std::string text;
  for (const ConfigError& each : errors) text += (text.empty() ? "" : "\n") + to_string(each);
  refuse(text);
}

Config config_from(const std::string& path) {
  const double cpus = usable_cpus();
  if (path.empty()) {
    Config defaults;
    defaults.cpus = cpus;
    return defaults;
  }
  return value_or_refuse(read_config(path, cpus));
}

std::optional<std::string> high_without_swap(const Options& options) {
  using Enforce = ReservationOptions::Enforce;
  if (options.reservation.enforce != Enforce::high) return std::nullopt;
  EnforceVerdict verdict = judge_enforce_here(Enforce::high, JobsRunBy::itself);
  if (verdict.refusal.empty()) return std::nullopt;
  return std::move(verdict.refusal);
}

std::optional<std::string> state_folder(const std::string& given, const Config& config) {
  if (!given.empty()) return given;
  if (auto folder = state_folder_of(config.governing)) return folder;
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

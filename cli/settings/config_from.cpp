#include "cli/settings/config_from.h"

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

}  // namespace sluice::cli

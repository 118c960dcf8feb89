#include "cli/replay/rules.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/replay/host.h"

namespace sluice::cli {
namespace {

/// One part in this many of a machine's memory is not for jobs.
constexpr std::uint64_t kReserved = 10;

struct OwnSensor {
  const SensorSettings* settings = nullptr;
  Acts acts = Acts::congestion;
};

/// A sensor by its name; null settings if it is not configured.
OwnSensor find_sensor(const SensorOptions& options, std::string_view name) {
  if (name == "load") return {&options.load, Acts::congestion};
  if (name == "cpu_pressure") return {&options.cpu_pressure, Acts::congestion};
  if (name == "memory") return {&options.memory, Acts::congestion};
  if (name == "memory_pressure") return {&options.memory_pressure, Acts::congestion};
  if (name == "io_pressure") return {&options.io_pressure, Acts::congestion};
  if (name == "cgroup") return {&options.cgroup, Acts::congestion};
  if (name == "disk") return {&options.disk, Acts::gate};
  if (name == "pids") return {&options.pids, Acts::gate};
  if (name == "starting" || name == "pause") return {nullptr, Acts::gate};
  const auto file = options.files.find(std::string(name));
  if (file != options.files.end()) return {&file->second, Acts::gate};
  const auto command = options.commands.find(std::string(name));
  if (command != options.commands.end()) return {&command->second, Acts::gate};
  return {};
}

}  // namespace

GovernorOptions replay_options(const Config& config, double cpus, std::optional<Bytes> memory) {
  GovernorOptions options;
  options.window = settle(config.governing.window, cpus);
  options.window.dwell = Duration{0};
  options.max_pending = std::numeric_limits<std::size_t>::max();
  options.starting = Presence::off;
  options.queueing = config.governing.queueing;
  if (memory) options.queueing.declared_memory = Bytes{memory->value - memory->value / kReserved};
  return options;
}

SensorPolicy replay_policy(const SensorOptions& options, std::string_view name) {
  const OwnSensor own = find_sensor(options, name);
  SensorPolicy policy;
  policy.acts = own.acts;
  policy.max_age = Duration::max();
  if (!own.settings) return policy;
  policy.acts = own.settings->acts.value_or(policy.acts);
  policy.resume = own.settings->resume.value_or(policy.resume);
  return policy;
}

std::vector<std::string> replay_sensors(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const SensorPoint& point : scenario.sensors) {
    if (std::ranges::find(names, point.name) == names.end()) names.push_back(point.name);
  }
  for (std::string& name : modelled_sensors(scenario)) names.push_back(std::move(name));
  return names;
}

}  // namespace sluice::cli

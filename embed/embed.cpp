#include "sluice/embed.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "config/config.h"
#include "costmodel/formula.h"
#include "costmodel/history.h"
#include "costmodel/store/history_store.h"
#include "sensors/build_sensors.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"
#include "sensors/use_meter.h"

namespace sluice {

namespace {

/// For callers that would not hear that nothing is stored. A folder that is missing can be made.
void check_folder(const std::string& folder) {
  std::error_code problem;
  const auto status = std::filesystem::status(folder, problem);
  const bool is_taken = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
  if (!is_taken && problem != std::errc::not_a_directory) return;
  throw std::invalid_argument("state_dir: " + folder + " is not a folder");
}

std::shared_ptr<History> history_for(const Options& options, const CostOptions& cost,
                                     const HostFacts& host, Learning learning) {
  if (!learns(options.cost, options.window.law)) return nullptr;
  if (learning.history) return std::move(learning.history);
  const std::optional<std::string> folder = state_folder_of(options);
  if (folder && !learning.say) check_folder(*folder);
  auto store = folder ? open_history_store(*folder, std::move(learning.say)) : nullptr;
  return std::make_shared<History>(cost, options.reservation, std::move(store),
                                   host.memory_total.value_or(kAnyMemory));
}

}  // namespace

std::optional<std::string> state_folder_of(const Options& options) {
  if (options.state_dir) return options.state_dir;
  const char* made = std::getenv("STATE_DIRECTORY");
  if (!made || *made == '\0') return std::nullopt;
  const std::string folders = made;
  return folders.substr(0, folders.find(':'));
}

double usable_cpus(std::shared_ptr<const ExecutorGroup> executor) {
  return read_host_facts({"", std::move(executor)}).cpus_usable;
}

Options read_options(const std::string& path) {
  ConfigResult result = read_config(path, usable_cpus());
  if (auto* config = std::get_if<Config>(&result)) return std::move(config->governing);
  std::string message;
  for (const ConfigError& error : std::get<std::vector<ConfigError>>(result)) {
    message += (message.empty() ? "" : "\n") + to_string(error);
  }
  throw std::invalid_argument(message);
}

Assembly assemble(const Options& options, Learning learning,
                  std::shared_ptr<const ExecutorGroup> executor) {
  check_cost(options.cost);
  const HostPaths paths{"", std::move(executor)};
  const HostFacts host = read_host_facts(paths);
  Assembly assembly;
  assembly.options.window = settle(options.window, host.cpus_usable);
  assembly.options.max_pending = options.max_pending;
  assembly.options.queueing = options.queueing;
  assembly.options.reservation = options.reservation;
  const CostOptions cost = settle(options.cost, options.window.law);
  assembly.options.least_cost = *cost.minimum;
  assembly.options.use_meter = use_meter(paths, host);
  assembly.options.memory_meter = memory_meter(paths, host);
  assembly.options.starting = options.starting_presence;
  assembly.options.starting_most = options.starting.most_on(host.cpus_usable);
  assembly.options.starting_floor = options.starting.floor_on(host.cpus_usable);
  const bool slows = options.reservation.enforce == ReservationOptions::Enforce::high;
  // `knee` measures what a quota leaves; two compilers under one of 1.5 CPUs are always throttled.
  const bool by_cpu = options.window.law == Law::knee;
  assembly.sensors = build_sensors(options.sensors, host, paths, state_folder_of(options),
                                   slows ? SlowsJobs::yes : SlowsJobs::no,
                                   by_cpu ? std::nullopt : std::optional(0.5));
  assembly.history = history_for(options, cost, host, std::move(learning));
  assembly.cost_model = assembly.history ? history_model(assembly.history) : formula_model(cost);
  return assembly;
}

std::unique_ptr<Governor> govern_this_host(const Options& options, GovernorEvents events) {
  Assembly assembly = assemble(options);
  return std::make_unique<Governor>(std::move(assembly.options), std::move(assembly.sensors),
                                    std::move(assembly.cost_model), std::move(events));
}

}  // namespace sluice

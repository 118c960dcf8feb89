#include "service/daemon/parts.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>

#include "sensors/host.h"
#include "sensors/memory_meter.h"
#include "service/access/access.h"
#include "service/http/tcp_listen.h"
#include "service/jobs/jobs.h"

namespace sluice {

http::SocketClaim claim_socket(const ServerPlace& place, const ServiceOptions& options) {
  if (place.path.empty()) {
    throw CannotServe("XDG_RUNTIME_DIR is not set: name the socket with --socket PATH");
  }
  const auto folder =
      place.is_default ? http::SocketClaim::Folder::make : http::SocketClaim::Folder::given;
  const auto group = socket_group(options);
  if (const auto* wrong = std::get_if<AccessProblem>(&group)) throw CannotServe(wrong->message);
  auto claim = http::SocketClaim::acquire(place.path, folder, std::get<gid_t>(group));
  if (const auto* problem = std::get_if<std::string>(&claim)) throw CannotServe(*problem);
  return std::move(std::get<http::SocketClaim>(claim));
}

std::optional<int> open_tcp(const std::string& address) {
  if (address.empty()) return std::nullopt;
  const auto listening = http::listen_tcp(address);
  if (const auto* problem = std::get_if<std::string>(&listening)) {
    throw CannotServe(
        *problem + "; choose another address with --listen HOST:PORT, or none with --listen off");
  }
  return std::get<int>(listening);
}

std::size_t room_for_jobs() {
  std::uint64_t room = std::numeric_limits<std::size_t>::max();
  for (const MemoryLimit& each : memory_meter({}, read_host_facts({}))(Clock::now())) {
    room = std::min(room, each.limit.value / 8);
  }
  return static_cast<std::size_t>(room);
}

MemoryMeter memory_of_this_host() { return memory_meter({}, read_host_facts({})); }

MostUsed most_used_here() {
  MostUsed most;
  most.cores = std::max(1.0, static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
  Bytes memory;
  for (const MemoryLimit& each : memory_of_this_host()(Clock::now())) {
    memory = std::max(memory, each.limit);
  }
  if (memory.value > 0) most.memory = memory;
  return most;
}

Learning learning(std::shared_ptr<History> history, const Log& log) {
  return {std::move(history), [log](const std::string& line) { log(LogLevel::warning, line); }};
}

std::unique_ptr<gearman::WorkSources> make_sources(boost::asio::io_context& context,
                                                   const Config& config, const Log& log) {
  try {
    return std::make_unique<gearman::WorkSources>(context, config.work_sources, log);
  } catch (const std::invalid_argument& problem) {
    throw CannotServe(problem.what());
  }
}

std::unique_ptr<Governor> start_governor(const Config& config, GovernorEvents events,
                                         const Log& log, const gearman::WorkSources& sources,
                                         std::shared_ptr<History>& history,
                                         std::shared_ptr<const ExecutorGroup> executor,
                                         GovernorOptions::WhenRed when_red) {
  if (const auto& folder = config.governing.state_dir) {
    std::error_code problem;
    std::filesystem::create_directories(*folder, problem);
    if (problem) throw CannotServe("state_dir: " + *folder + ": " + problem.message());
  }
  try {
    Assembly assembly = assemble(config.governing, learning(nullptr, log), std::move(executor));
    history = assembly.history;
    assembly.options.when_red = when_red;
    return std::make_unique<Governor>(std::move(assembly.options), std::move(assembly.sensors),
                                      std::move(assembly.cost_model), std::move(events),
                                      sources.registered());
  } catch (const std::exception& error) {
    throw CannotServe(error.what());
  }
}

std::shared_ptr<History> history_or_new(std::shared_ptr<History> history) {
  if (history) return history;
  return std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
}

}  // namespace sluice

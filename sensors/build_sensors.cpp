#include "sensors/build_sensors.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "sensors/cgroup.h"
#include "sensors/check_options.h"
#include "sensors/command.h"
#include "sensors/cpu_pressure.h"
#include "sensors/disk.h"
#include "sensors/executor.h"
#include "sensors/io_pressure.h"
#include "sensors/load.h"
#include "sensors/memory.h"
#include "sensors/number_file.h"
#include "sensors/pids.h"
#include "sluice/in_worker.h"

namespace sluice {
namespace {

constexpr Duration kMaxAge = std::chrono::seconds(10);
constexpr Duration kDiskEvery = std::chrono::seconds(5);

SensorPolicy policy_of(const SensorSettings& settings, Acts acts, Duration max_age = kMaxAge) {
  return {settings.acts.value_or(acts), settings.resume.value_or(0.9),
          settings.on_error.value_or(OnError::hold), settings.max_age.value_or(max_age)};
}

/// A reading every `every` does not become stale even if two in a row are late.
Duration max_age_of(Duration every) { return std::max(kMaxAge, 3 * every); }

bool is_there(Presence presence, bool makes_sense) {
  return presence == Presence::on || (presence == Presence::automatic && makes_sense);
}

/// A sensor around an object whose `read` returns the reading.
template <class Reader, class... Arguments>
Sensor sensor(std::string name, SensorPolicy policy, Arguments&&... arguments) {
  auto reader = std::make_shared<Reader>(std::forward<Arguments>(arguments)...);
  return {std::move(name), policy, [reader](TimePoint now) {
            return Measurement{now, reader->read(now)};
          }};
}

void add_cpu(const SensorOptions& options, const HostFacts& host, const HostPaths& paths,
             std::vector<Sensor>& all) {
  const auto& load = options.load;
  if (is_there(load.presence, host.cpus_usable >= host.cpus_online)) {
    all.push_back(sensor<LoadSensor>("load", policy_of(load, Acts::congestion), paths,
                                     host.cpus_online, load.limit.value_or(2.5)));
  }
  const auto& pressure = options.cpu_pressure;
  if (is_there(pressure.presence, pressure.limit && host.measures_cpu_pressure)) {
    all.push_back(sensor<CpuPressureSensor>("cpu_pressure", policy_of(pressure, Acts::congestion),
                                            paths, pressure.limit));
  }
}

void add_memory(const SensorOptions& options, const HostFacts& host, const HostPaths& paths,
                SlowsJobs slows, std::vector<Sensor>& all) {
  const auto& memory = options.memory;
  if (is_there(memory.presence, true)) {
    all.push_back(sensor<MemorySensor>("memory", policy_of(memory, Acts::congestion), paths,
                                       memory.limit.value_or(0.05)));
  }
  const auto& pressure = options.memory_pressure;
  if (is_there(pressure.presence, host.measures_memory_pressure)) {
    const MemoryPressureLimits limits{pressure.limit.value_or(0.2), pressure.full.value_or(0.1)};
    all.push_back(sensor<MemoryPressureSensor>(
        "memory_pressure", policy_of(pressure, Acts::congestion), paths, limits, slows));
  }
}

void add_io_and_cgroup(const SensorOptions& options, const HostFacts& host, const HostPaths& paths,
                       std::optional<double> most_throttled, std::vector<Sensor>& all) {
  const auto& io = options.io_pressure;
  if (is_there(io.presence, host.measures_io_pressure)) {
    all.push_back(sensor<IoPressureSensor>("io_pressure", policy_of(io, Acts::congestion), paths,
                                           io.limit.value_or(0.4)));
  }
  const auto& cgroup = options.cgroup;
  const CgroupLimits limits{cgroup.limit.value_or(0.95),
                            cgroup.throttled ? cgroup.throttled : most_throttled};
  if (paths.executor && is_there(cgroup.presence, true)) {
    SensorPolicy policy = policy_of(cgroup, Acts::congestion);
    // Unseen usage of another container must not look like free capacity.
    policy.on_error = cgroup.on_error.value_or(OnError::red);
    all.push_back(
        sensor<ExecutorSensor>("cgroup", std::move(policy), paths, host.memory_total, limits));
    return;
  }
  const auto& places = host.cgroups;
  if (is_there(cgroup.presence, places.memory.is_on_host() || places.cpu.is_on_host())) {
    all.push_back(sensor<CgroupSensor>("cgroup", policy_of(cgroup, Acts::congestion), paths,
                                       host.memory_total, limits));
  }
}

std::vector<WatchedFolder> watched_folders(const DiskOptions& disk,
                                           const std::optional<std::string>& state_dir) {
  std::vector<WatchedFolder> folders;
  for (const auto& [path, least] : disk.limits) folders.push_back({path, least});
  for (std::string& path : disk.paths.value_or(default_disk_paths(state_dir))) {
    if (!disk.limits.contains(path)) folders.push_back({path, disk.limit.value_or(0.05)});
  }
  return folders;
}

void add_disk_and_pids(const SensorOptions& options, const HostPaths& paths,
                       const std::optional<std::string>& state_dir, std::vector<Sensor>& all) {
  const auto& disk = options.disk;
  if (is_there(disk.presence, true)) {
    all.push_back(
        in_worker(sensor<DiskSensor>("disk", policy_of(disk, Acts::gate, max_age_of(kDiskEvery)),
                                     watched_folders(disk, state_dir)),
                  kDiskEvery));
  }
  const auto& pids = options.pids;
  if (is_there(pids.presence, true)) {
    const PidsLimits limits{pids.limit.value_or(0.05), pids.headroom.value_or(10)};
    all.push_back(sensor<PidsSensor>("pids", policy_of(pids, Acts::gate), paths, limits));
  }
}

void add_own(const SensorOptions& options, std::vector<Sensor>& all) {
  for (const auto& [name, file] : options.files) {
    if (!is_there(file.presence, true)) continue;
    const SensorPolicy policy = policy_of(file, Acts::gate, max_age_of(file.every));
    all.push_back(
        in_worker(sensor<NumberFileSensor>(name, policy, file.path, *file.limit), file.every));
  }
  for (const auto& [name, command] : options.commands) {
    if (!is_there(command.presence, true)) continue;
    const SensorPolicy policy = policy_of(command, Acts::gate, max_age_of(command.every));
    all.push_back(in_worker(
        sensor<CommandSensor>(name, policy, command.command, command.limit, command.timeout),
        command.every));
  }
}

}  // namespace

std::vector<std::string> default_disk_paths(const std::optional<std::string>& state_dir) {
  const char* const temporary = std::getenv("TMPDIR");
  std::vector<std::string> paths{"/", temporary && *temporary ? temporary : "/tmp"};
  if (state_dir) paths.push_back(*state_dir);
  return paths;
}

std::vector<Sensor> build_sensors(const SensorOptions& options, const HostFacts& host,
                                  const HostPaths& paths,
                                  const std::optional<std::string>& state_dir, SlowsJobs slows,
                                  std::optional<double> most_throttled) {
  check_sensor_options(options);
  std::vector<Sensor> all;
  add_cpu(options, host, paths, all);
  add_memory(options, host, paths, slows, all);
  add_io_and_cgroup(options, host, paths, most_throttled, all);
  add_disk_and_pids(options, paths, state_dir, all);
  add_own(options, all);
  return all;
}

}  // namespace sluice

#include "sensors/check_options.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/values.h"

namespace sluice {
namespace {

/// Names of the built-in sensors.
constexpr std::array<std::string_view, 10> kTaken{
    "load",   "cpu_pressure", "memory", "memory_pressure", "io_pressure",
    "cgroup", "disk",         "pids",   "pause",           "starting"};

constexpr std::size_t kLongestName = 64;

using std::chrono::milliseconds;
constexpr Duration kDay = std::chrono::hours(24);

[[noreturn]] void reject(const std::string& field, std::string_view what) {
  throw std::invalid_argument(field + ": " + std::string(what));
}

void check_positive(const std::string& field, std::optional<double> value) {
  if (value && !(*value > 0 && std::isfinite(*value))) reject(field, "must be above 0");
}

/// For a value with an upper limit.
void check_most(const std::string& field, std::optional<double> ratio) {
  if (ratio && !(*ratio > 0 && *ratio <= 1)) reject(field, "must be above 0 and at most 1");
}

/// For a value with a lower limit.
void check_least(const std::string& field, std::optional<double> ratio) {
  if (ratio && !(*ratio >= 0 && *ratio < 1)) reject(field, "must be at least 0 and below 1");
}

void check_time(const std::string& field, std::optional<Duration> time) {
  if (time && *time <= Duration::zero()) reject(field, "must be above 0");
}

/// A wait longer than `most` could pass the end of the clock and so end at once.
void check_span(const std::string& field, Duration time, Duration least, Duration most) {
  if (time >= least && time <= most) return;
  reject(field, "must be from " + print_duration(least) + " to " + print_duration(most));
}

void check_settings(const std::string& field, const SensorSettings& settings) {
  check_most(field + ".resume", settings.resume);
  check_time(field + ".max_age", settings.max_age);
}

void check_name(const std::string& field, const std::string& name) {
  const bool well_formed = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (name.empty() || name.size() > kLongestName || !well_formed) {
    reject(field, "a sensor's name is 1 to 64 of a-z, 0-9 and _");
  }
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) {
    reject(field, "two sensors named '" + name + "'");
  }
}

void check_file(const std::string& field, const FileSensorOptions& options) {
  if (options.path.empty()) reject(field + ".path", "missing");
  if (!options.limit) reject(field + ".limit", "missing");
  check_positive(field + ".limit", options.limit);
  check_span(field + ".every", options.every, milliseconds(10), kDay);
}

void check_command(const std::string& field, const CommandSensorOptions& options) {
  if (options.command.empty() || options.command.front().empty()) {
    reject(field + ".command", "missing");
  }
  check_positive(field + ".limit", options.limit);
  check_span(field + ".every", options.every, milliseconds(100), kDay);
  check_span(field + ".timeout", options.timeout, milliseconds(10), std::chrono::hours(1));
}

void check_own(const SensorOptions& options) {
  const auto field_of = [](const std::string& name) { return "sensors." + printable(name, 80); };
  for (const auto& [name, file] : options.files) {
    check_name(field_of(name), name);
    check_settings(field_of(name), file);
    check_file(field_of(name), file);
  }
  for (const auto& [name, command] : options.commands) {
    check_name(field_of(name), name);
    if (options.files.count(name) > 0) {
      reject(field_of(name), "two sensors named '" + name + "'");
    }
    check_settings(field_of(name), command);
    check_command(field_of(name), command);
  }
}

void check_disk(const DiskOptions& options) {
  check_least("sensors.disk.limit", options.limit);
  for (const auto& [path, least] : options.limits) {
    check_least("sensors.disk.limits", least);
    if (!path.starts_with('/')) reject("sensors.disk.limits", "must be absolute");
  }
  if (!options.paths) return;
  if (options.paths->empty()) reject("sensors.disk.paths", "names no folder");
  for (const std::string& path : *options.paths) {
    if (!path.starts_with('/')) reject("sensors.disk.paths", "must be absolute");
  }
}

}  // namespace

void check_sensor_options(const SensorOptions& options) {
  check_settings("sensors.load", options.load);
  check_settings("sensors.cpu_pressure", options.cpu_pressure);
  check_settings("sensors.memory", options.memory);
  check_settings("sensors.memory_pressure", options.memory_pressure);
  check_settings("sensors.io_pressure", options.io_pressure);
  check_settings("sensors.cgroup", options.cgroup);
  check_settings("sensors.disk", options.disk);
  check_settings("sensors.pids", options.pids);
  check_positive("sensors.load.limit", options.load.limit);
  check_most("sensors.cpu_pressure.limit", options.cpu_pressure.limit);
  check_least("sensors.memory.limit", options.memory.limit);
  check_most("sensors.memory_pressure.limit", options.memory_pressure.limit);
  check_most("sensors.memory_pressure.full", options.memory_pressure.full);
  check_most("sensors.io_pressure.limit", options.io_pressure.limit);
  check_most("sensors.cgroup.limit", options.cgroup.limit);
  check_most("sensors.cgroup.throttled", options.cgroup.throttled);
  check_disk(options.disk);
  check_least("sensors.pids.limit", options.pids.limit);
  if (options.pids.headroom && *options.pids.headroom < 0) {
    reject("sensors.pids.headroom", "must be at least 0");
  }
  check_own(options);
}

}  // namespace sluice

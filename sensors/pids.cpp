#include "sensors/pids.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {
namespace {

constexpr const char* kHost = "the host";

Condition pids_condition(std::string name, const PidsLevel& level, const PidsLimits& limits) {
  const auto total = static_cast<double>(level.limit);
  const double free =
      level.limit > level.current ? static_cast<double>(level.limit - level.current) : 0;
  const double least = std::max(limits.ratio * total, static_cast<double>(limits.headroom));
  return {std::move(name), free,        least,
          total,           Unit::tasks, pressure_at_least(free, least, AtLimit::red)};
}

std::string pids_sentence(const PidsLevel& level, const Condition& condition) {
  const char* const preposition = level.where == kHost ? " on " : " in ";
  return count_text(level.current, "task") + " of at most " + std::to_string(level.limit) +
         preposition + level.where + ", room for " + number_text(condition.value, 0) +
         ", more than " + number_text(*condition.limit, 0) + " needed";
}

}  // namespace

Reading pids_reading(const std::vector<PidsLevel>& cgroups, const PidsLevel& host,
                     const PidsLimits& limits) {
  Reading reading;
  const PidsLevel* binding = &host;
  reading.conditions.push_back(pids_condition("host", host, limits));
  for (const PidsLevel& level : cgroups) {
    Condition here = pids_condition("cgroup", level, limits);
    if (here.pressure > reading.conditions[reading.worst].pressure) binding = &level;
    if (reading.conditions.size() == 1) {
      reading.conditions.push_back(std::move(here));
    } else if (here.pressure > reading.conditions[1].pressure) {
      reading.conditions[1] = std::move(here);
    }
    settle_worst(reading);
  }
  reading.sentence = pids_sentence(*binding, reading.conditions[reading.worst]);
  reading.source = binding->where;
  return reading;
}

Result<Reading> PidsSensor::read(TimePoint now) {
  const auto cgroups = rescan_.read_found(
      now, [this] { return find_group(); }, [this] { return read_cgroups(); });
  if (!value_in(cgroups)) return failure_in(cgroups);
  const auto host = read_host();
  if (!value_in(host)) return failure_in(host);
  return pids_reading(*value_in(cgroups), *value_in(host), limits_);
}

std::optional<ReadFailure> PidsSensor::find_group() {
  const CgroupFinding finding = find_cgroups(paths_).pids;
  const auto found = folders_with(paths_, finding, "pids.max");
  if (!value_in(found)) return failure_in(found);
  if (*value_in(found) == folders_) return std::nullopt;
  folders_ = *value_in(found);
  levels_.clear();
  for (const std::string& folder : folders_) {
    const std::string base = paths_.at(folder);
    levels_.push_back({finding.place->called(folder), KeptFile(base + "/pids.max"),
                       KeptFile(base + "/pids.current")});
  }
  return std::nullopt;
}

Result<std::vector<PidsLevel>> PidsSensor::read_cgroups() {
  std::vector<PidsLevel> levels;
  for (Files& files : levels_) {
    const auto limit = read_parsed(files.limit, parse_limit);
    if (!value_in(limit)) return failure_in(limit);
    if (!value_in(limit)->has_value()) continue;
    const auto current = read_parsed(files.current, parse_count);
    if (!value_in(current)) return failure_in(current);
    levels.push_back({files.where, *value_in(current), **value_in(limit)});
  }
  return levels;
}

Result<PidsLevel> PidsSensor::read_host() {
  const auto pid_max = read_parsed(pid_max_, parse_count);
  if (!value_in(pid_max)) return failure_in(pid_max);
  std::uint64_t limit = *value_in(pid_max);
  const auto threads_max = read_parsed(threads_max_, parse_count);
  // Some containers hide it; pid_max is nearly always the smaller of the two.
  if (!value_in(threads_max) && !threads_max_.is_absent()) return failure_in(threads_max);
  if (value_in(threads_max)) limit = std::min(limit, *value_in(threads_max));
  const auto load = read_parsed(loadavg_, parse_loadavg);
  if (!value_in(load)) return failure_in(load);
  return PidsLevel{kHost, value_in(load)->tasks, limit};
}

}  // namespace sluice

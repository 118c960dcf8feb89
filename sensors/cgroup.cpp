#include "sensors/cgroup.h"

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {
namespace {

/// Compares ratios: 95 / 100 rounds to exactly the double 0.95, while 0.95 x 100 need not round to
/// 95.
double memory_pressure_of(const MemoryLevel& level, double most) {
  if (!level.limit) return 0;
  const auto used = static_cast<double>(level.working_set().value);
  if (level.limit->value == 0) return kMostPressure;
  return pressure_at_most(used / static_cast<double>(level.limit->value), most, AtLimit::allowed);
}

const MemoryLevel& tightest(const std::vector<MemoryLevel>& levels, double most) {
  const MemoryLevel* worst = &levels.front();
  for (const MemoryLevel& level : levels) {
    const bool limits_first = level.limit && !worst->limit;
    const double pressure = memory_pressure_of(level, most);
    if (limits_first || pressure > memory_pressure_of(*worst, most)) worst = &level;
  }
  return *worst;
}

Condition memory_condition(const MemoryLevel& level, double most) {
  Condition condition{"memory",    static_cast<double>(level.working_set().value),
                      {},          {},
                      Unit::bytes, memory_pressure_of(level, most)};
  if (!level.limit) return condition;
  condition.total = static_cast<double>(level.limit->value);
  condition.limit = most * *condition.total;
  return condition;
}

std::string memory_sentence(const MemoryLevel& level, const Condition& condition, double most) {
  const std::string used = "working set " + bytes_text(condition.value);
  if (!level.limit) return used + ", memory unlimited";
  return used + " of at most " + bytes_text(*condition.limit) + " (" + percent_text(most) + " of " +
         bytes_text(*condition.total) + " by " + std::string(level.limited_by) + ")";
}

std::string events_sentence(const MemoryEvents& events) {
  std::string text;
  if (events.oom_kills && *events.oom_kills > 0) {
    text += ", " + count_text(*events.oom_kills, "OOM kill");
  }
  if (events.high && *events.high > 0) {
    text += ", " + count_text(*events.high, "time") + " held back at memory.high";
  }
  return text;
}

void add_memory_condition(Reading& reading, const MemorySnapshot& memory, double most) {
  if (memory.levels.empty()) {
    reading.sentence = "memory not accounted";
    return;
  }
  const MemoryLevel& level = tightest(memory.levels, most);
  reading.conditions.push_back(memory_condition(level, most));
  reading.sentence = memory_sentence(level, reading.conditions.back(), most);
  reading.sentence += events_sentence(memory.events);
  reading.source = level.where;
}

void add_throttling(Reading& reading, const std::optional<Throttling>& throttling,
                    std::optional<double> most) {
  if (!throttling) {
    // No quota, or nothing has run under one yet.
    reading.sentence += "; never throttled";
    return;
  }
  const double ratio = throttling->ratio.value_or(0);
  const double pressure =
      throttling->ratio && most ? pressure_at_most(ratio, *most, AtLimit::allowed) : 0;
  const std::string limit = most ? ", at most " + percent_text(*most) : "";
  reading.conditions.push_back({"throttled", ratio, most, {}, Unit::ratio, pressure});
  reading.sentence += throttling->ratio
                          ? "; throttled in " + percent_text(ratio) + " of periods" + limit
                          : "; throttling not yet known";
  if (reading.source.empty()) {
    reading.source = throttling->where;
  } else if (reading.source != throttling->where) {
    reading.source += ", " + throttling->where;
  }
}

}  // namespace

Reading cgroup_reading(const MemorySnapshot& memory, const std::optional<Throttling>& throttling,
                       const CgroupLimits& limits) {
  Reading reading;
  add_memory_condition(reading, memory, limits.memory);
  add_throttling(reading, throttling, limits.throttled);
  settle_worst(reading);
  return reading;
}

Result<Reading> CgroupSensor::read(TimePoint now) {
  const auto memory = memory_.read(now);
  if (!value_in(memory)) return failure_in(memory);
  const auto throttling = throttle_.read(now);
  if (!value_in(throttling)) return failure_in(throttling);
  return cgroup_reading(*value_in(memory), *value_in(throttling), limits_);
}

}  // namespace sluice

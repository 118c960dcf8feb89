#include "metrics/statsd_zuul.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sluice {
namespace {

const Reading* fresh_reading(const Status& status, std::string_view name) {
  for (const SensorStatus& sensor : status.sensors) {
    if (sensor.name == name && sensor.fresh && sensor.reading) return &*sensor.reading;
  }
  return nullptr;
}

// Hundredths of a percent, truncated toward zero as in Zuul. Multiplies before it divides, which is
// exact for exact percentages.
std::optional<double> used_part(double used, std::optional<double> whole) {
  if (!whole || !(*whole > 0)) return std::nullopt;
  return std::trunc(std::max(used, 0.0) * 10000 / *whole);
}

std::optional<double> available_to_used(const Condition& condition) {
  return used_part(condition.total.value_or(0) - condition.value, condition.total);
}

// The whole if the sensor knows it; else the limit, the smaller number at which the sensor turns
// red.
std::optional<double> capacity(const Condition& condition) {
  return condition.total ? condition.total : condition.limit;
}

template <typename UsedOf>
void gauge_worst(StatsdLines& lines, std::string_view name, const Reading& reading,
                 UsedOf used_of) {
  std::optional<double> worst;
  for (const Condition& condition : reading.conditions) {
    const std::optional<double> used = used_of(condition);
    if (used && (!worst || *used > *worst)) worst = used;
  }
  if (worst) lines.gauge(name, *worst);
}

void append_load(StatsdLines& lines, const Reading& load) {
  for (const Condition& condition : load.conditions) {
    if (condition.name != "load1") continue;
    lines.gauge("load_average", std::trunc(condition.value * 100));
  }
}

void append_disk(StatsdLines& lines, const Reading& disk) {
  gauge_worst(lines, "pct_used_hdd", disk, [](const Condition& condition) {
    return condition.unit == Unit::bytes ? available_to_used(condition) : std::nullopt;
  });
  gauge_worst(lines, "pct_used_inodes", disk, [](const Condition& condition) {
    return condition.unit == Unit::count ? available_to_used(condition) : std::nullopt;
  });
}

void append_zuul_memory(StatsdLines& lines, const Reading& memory) {
  gauge_worst(lines, "pct_used_ram", memory, [](const Condition& condition) {
    return condition.name == "available" ? available_to_used(condition) : std::nullopt;
  });
}

void append_cgroup(StatsdLines& lines, const Reading& cgroup) {
  gauge_worst(lines, "pct_used_ram_cgroup", cgroup, [](const Condition& condition) {
    if (condition.name != "memory") return std::optional<double>();
    return used_part(condition.value, capacity(condition));
  });
}

// Number and limit of the fullest group. Zuul pairs the smallest limit with the largest number,
// which may belong to different groups. The sensor reads what is left.
void append_pids(StatsdLines& lines, const Reading& pids) {
  const Condition* fullest = nullptr;
  double most = -1;
  for (const Condition& condition : pids.conditions) {
    const std::optional<double> used = available_to_used(condition);
    if (!used || *used <= most) continue;
    fullest = &condition;
    most = *used;
  }
  if (!fullest) return;
  lines.gauge("cur_process", *fullest->total - fullest->value);
  lines.gauge("max_process", *fullest->total);
}

}  // namespace

void append_zuul_lines(StatsdLines& lines, const Status& now, const Status& previous) {
  lines.counter("builds", now.counters.admitted, previous.counters.admitted);
  lines.gauge("running_builds", static_cast<double>(now.running));
  lines.gauge("starting_builds", static_cast<double>(now.starting));
  // Sluice never pauses a job. Zuul counts here the jobs that are not paused.
  lines.gauge("paused_builds", 0.0);
  // Zuul drains by pausing, so its dashboards expect both here.
  lines.gauge("pause", now.paused || now.draining ? 1 : 0);
  lines.gauge("window_size", now.size);
  lines.gauge("window_usage", now.usage);
  if (const Reading* load = fresh_reading(now, "load")) append_load(lines, *load);
  if (const Reading* disk = fresh_reading(now, "disk")) append_disk(lines, *disk);
  if (const Reading* memory = fresh_reading(now, "memory")) append_zuul_memory(lines, *memory);
  if (const Reading* cgroup = fresh_reading(now, "cgroup")) append_cgroup(lines, *cgroup);
  if (const Reading* pids = fresh_reading(now, "pids")) append_pids(lines, *pids);
}

}  // namespace sluice

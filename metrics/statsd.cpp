#include "metrics/statsd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/seconds.h"
#include "metrics/queue_families.h"
#include "metrics/statsd_lines.h"

namespace sluice {
namespace {

template <typename Enum, std::size_t N>
void append_counters(StatsdLines& lines, const std::string& start,
                     const std::array<std::uint64_t, N>& now,
                     const std::array<std::uint64_t, N>& previous) {
  for (std::size_t i = 0; i < N; ++i) {
    const std::string name = start + std::string(to_string(static_cast<Enum>(i)));
    lines.counter(name, now[i], previous[i]);
  }
}

void append_limits(StatsdLines& lines, const std::string& start,
                   const std::optional<Refusal>& limiting) {
  for_each_limit(limiting, [&](std::string_view code, bool binds) {
    lines.gauge(start + std::string(code), binds);
  });
}

void append_gauges(StatsdLines& lines, const Status& now) {
  lines.gauge("window_size", now.size);
  lines.gauge("window_usage", now.usage);
  lines.gauge("window_limit.min", now.minimum);
  lines.gauge("window_limit.max", now.maximum);
  if (now.threshold) lines.gauge("window_threshold", *now.threshold);
  if (now.cpu) {
    lines.gauge("cpu_busy_ratio", now.cpu->busy);
    lines.gauge("cpu_waiting_tasks", now.cpu->waiting);
    lines.gauge("cpu_demand_cores", now.cpu->demand);
    lines.gauge("cpu_others_cores", now.cpu->others);
  }
  lines.gauge("full", now.short_of_capacity);
  lines.gauge("jobs_running", now.running);
  lines.gauge("jobs_starting", now.starting);
  lines.gauge("jobs_pending", now.pending);
  lines.gauge("pending_cost", now.pending_cost);
  lines.gauge("queue_head_cost", now.limiting ? now.limiting->cost : Points{0});
  const Duration waited = now.oldest_arrival ? now.now - *now.oldest_arrival : Duration{0};
  lines.gauge("queue_head_wait_seconds", std::max(to_seconds(waited), 0.0));
  lines.gauge("registered", now.registered);
  lines.gauge("paused", now.paused);
  lines.gauge("draining", now.draining);
  append_limits(lines, "admission_limited.", now.limiting);
}

void append_queue(StatsdLines& lines, const QueueStatus& queue, TimePoint now) {
  const std::string start = "queue." + statsd_part(queue.name) + ".";
  const Duration waited = queue.oldest_arrival ? now - *queue.oldest_arrival : Duration{0};
  lines.gauge(start + "jobs_running", queue.running);
  lines.gauge(start + "jobs_pending", queue.pending);
  lines.gauge(start + "pending_cost", queue.pending_cost);
  lines.gauge(start + "jobs_held", queue.held);
  lines.gauge(start + "held_cost", queue.held_cost);
  lines.gauge(start + "head_cost", queue.limiting ? queue.limiting->cost : Points{0});
  lines.gauge(start + "head_wait_seconds", std::max(to_seconds(waited), 0.0));
  lines.gauge(start + "paused", queue.paused);
  append_limits(lines, start + "limited.", queue.limiting);
}

void append_resource(StatsdLines& lines, const ResourceStatus& resource) {
  const std::string start = "resource." + statsd_part(resource.key) + ".";
  if (resource.kind != ResourceOptions::Kind::highlander) {
    lines.gauge(start + "capacity", resource.total);
  }
  lines.gauge(start + "used", resource.used);
  lines.gauge(start + "waiting_jobs", resource.waiting);
}

void append_counts(StatsdLines& lines, const Counters& now, const Counters& previous) {
  lines.counter("jobs_submitted", now.submitted, previous.submitted);
  lines.counter("jobs_admitted", now.admitted, previous.admitted);
  lines.counter("jobs_cancelled", now.cancelled, previous.cancelled);
  append_counters<Outcome>(lines, "jobs_released.", now.finished, previous.finished);
  append_counters<RefusalCode>(lines, "jobs_rejected.", now.rejected, previous.rejected);
  append_counters<WindowCause>(lines, "window_changes.increase.", now.window_increases,
                               previous.window_increases);
  append_counters<WindowCause>(lines, "window_changes.decrease.", now.window_decreases,
                               previous.window_decreases);
  lines.counter("registration_transitions.registered.ready", now.registrations,
                previous.registrations);
  append_counters<RefusalCode>(lines, "registration_transitions.unregistered.", now.deregistrations,
                               previous.deregistrations);
}

void append_sensor(StatsdLines& lines, const SensorStatus& sensor, const Status& previous) {
  const auto before = std::ranges::find(previous.sensors, sensor.name, &SensorStatus::name);
  const std::uint64_t failures = before == previous.sensors.end() ? 0 : before->failures;
  const std::string start = "sensor." + statsd_part(sensor.name) + ".";
  lines.gauge(start + "ok", !sensor.red);
  lines.gauge(start + "up", sensor.up);
  lines.gauge(start + "fresh", sensor.fresh);
  lines.counter(start + "read_errors", sensor.failures, failures);
  if (!sensor.fresh || !sensor.reading) return;
  lines.gauge(start + "pressure_ratio", sensor.reading->pressure());
  for (const Condition& condition : sensor.reading->conditions) {
    const std::string name = start + "condition." + statsd_part(condition.name);
    lines.gauge(name + ".reading", condition.value);
    if (condition.limit) lines.gauge(name + ".limit", *condition.limit);
  }
}

void append_sluice_lines(StatsdLines& lines, const Status& now, const Status& previous) {
  append_gauges(lines, now);
  const auto queues = without_branches(now.queues);
  for (const QueueStatus& queue : queues) append_queue(lines, queue, now.now);
  for (const ResourceStatus& resource : now.resources) append_resource(lines, resource);
  append_counts(lines, now.counters, previous.counters);
  for (const SensorStatus& sensor : now.sensors) append_sensor(lines, sensor, previous);
}

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
void gauge_worst(StatsdLines& lines, std::string_view name, const Reading* reading,
                 UsedOf used_of) {
  if (!reading) return;
  std::optional<double> worst;
  for (const Condition& each : reading->conditions) {
    const std::optional<double> used = used_of(each);
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

void append_used_parts(StatsdLines& lines, const Status& now) {
  const Reading* disk = fresh_reading(now, "disk");
  const auto of_unit = [](Unit unit) {
    return [unit](const Condition& condition) {
      return condition.unit == unit ? available_to_used(condition) : std::nullopt;
    };
  };
  gauge_worst(lines, "pct_used_hdd", disk, of_unit(Unit::bytes));
  gauge_worst(lines, "pct_used_inodes", disk, of_unit(Unit::count));
  const auto of_memory = [](const Condition& condition) {
    return condition.name == "available" ? available_to_used(condition) : std::nullopt;
  };
  gauge_worst(lines, "pct_used_ram", fresh_reading(now, "memory"), of_memory);
  const auto of_group = [](const Condition& condition) {
    return condition.name == "memory" ? used_part(condition.value, capacity(condition))
                                      : std::nullopt;
  };
  gauge_worst(lines, "pct_used_ram_cgroup", fresh_reading(now, "cgroup"), of_group);
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

/// Under the names that Zuul's executors use.
void append_zuul_lines(StatsdLines& lines, const Status& now, const Status& previous) {
  lines.counter("builds", now.counters.admitted, previous.counters.admitted);
  lines.gauge("running_builds", now.running);
  lines.gauge("starting_builds", now.starting);
  // Sluice never pauses a job. Zuul counts here the jobs that are not paused.
  lines.gauge("paused_builds", 0.0);
  // Zuul drains by pausing, so its dashboards expect both here.
  lines.gauge("pause", now.paused || now.draining);
  lines.gauge("window_size", now.size);
  lines.gauge("window_usage", now.usage);
  if (const Reading* load = fresh_reading(now, "load")) append_load(lines, *load);
  append_used_parts(lines, now);
  if (const Reading* pids = fresh_reading(now, "pids")) append_pids(lines, *pids);
}

}  // namespace

std::vector<std::string> statsd_datagrams(const Status& now, const Status& previous,
                                          const StatsdOptions& options, std::string_view host) {
  const bool zuul = options.names == StatsdNames::zuul;
  const std::string names = zuul ? "zuul.executor." + statsd_part(host) + "." : "sluice.";
  StatsdLines lines(statsd_prefix(options.prefix, host) + names);
  (zuul ? append_zuul_lines : append_sluice_lines)(lines, now, previous);
  return std::move(lines).take_datagrams();
}

}  // namespace sluice

#include "status/status_json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "status/refusal_json.h"

namespace sluice {
namespace {

template <typename Array, typename Enum>
void write_counts(JsonWriter& json, std::string_view name, const Array& counts, Enum) {
  json.key(name).begin_object();
  for (std::size_t at = 0; at < counts.size(); ++at) {
    json.member(to_string(static_cast<Enum>(at)), counts[at]);
  }
  json.end_object();
}

void write_window(JsonWriter& json, const Status& status, const Instant& instant) {
  json.key("window").begin_object();
  json.member("law", to_string(status.law));
  json.member("size", status.size).member("usage", status.usage);
  json.member("minimum", status.minimum).member("maximum", status.maximum);
  json.member("threshold", status.threshold);
  json.member("last_change", status.last_change, [&](const WindowChange& change) {
    json.begin_object().member("at", wall_time(instant, change.at));
    json.member("age", age_seconds(instant.now, change.at));
    json.member("from", change.from).member("to", change.to);
    json.member("cause", to_string(change.cause)).member_or_null("sensor", change.sensor);
    json.member("sentence", to_sentence(change)).end_object();
  });
  json.end_object();
}

void write_condition(JsonWriter& json, const Condition& condition) {
  json.begin_object().member("name", condition.name).member("value", condition.value);
  json.member("limit", condition.limit).member("total", condition.total);
  json.member("unit", to_string(condition.unit)).member("pressure", condition.pressure);
  json.end_object();
}

void write_reading(JsonWriter& json, const SensorStatus& sensor, TimePoint now) {
  if (!sensor.reading) {
    for (const char* name : {"pressure", "worst", "sentence", "source", "age"}) {
      json.key(name).null();
    }
    json.key("conditions").begin_array().end_array();
    return;
  }
  const Reading& reading = *sensor.reading;
  json.member("pressure", reading.pressure()).key("worst");
  reading.conditions.empty() ? json.null() : json.value(reading.conditions[reading.worst].name);
  json.member("sentence", reading.sentence).member("source", reading.source);
  json.member("age", age_seconds(now, sensor.taken));
  json.list("conditions", reading.conditions,
            [&](const Condition& condition) { write_condition(json, condition); });
}

void write_sensor(JsonWriter& json, const SensorStatus& sensor, TimePoint now) {
  json.begin_object().member("name", sensor.name);
  json.member("verdict", sensor.ignored ? "ignored" : sensor.red ? "red" : "green");
  json.member("acts", to_string(sensor.policy.acts));
  json.member("on_error", to_string(sensor.policy.on_error));
  json.member("resume", sensor.policy.resume);
  json.member("max_age", sensor.policy.max_age);
  json.member("up", sensor.up).member("fresh", sensor.fresh);
  write_reading(json, sensor, now);
  json.member_or_null("failure", sensor.failure).member("failures", sensor.failures);
  json.member("read_seconds", sensor.read_duration).end_object();
}

void write_optional(JsonWriter& json, std::string_view name, const std::optional<Refusal>& refusal,
                    const JobNames& names) {
  json.member(name, refusal, [&](const Refusal& why) { write_refusal(json, why, names); });
}

/// What running jobs hold, by source of the figure.
void write_held(JsonWriter& json, const HeldMemory& held) {
  json.begin_object().member("measured", held.measured).member("reported", held.reported);
  json.member("declared", held.declared).member("unverified", held.unverified).end_object();
}

HeldMemory held_by_all(const std::vector<QueueStatus>& queues) {
  HeldMemory held;
  for (const QueueStatus& each : queues) {
    held.measured.value += each.memory.measured.value;
    held.reported.value += each.memory.reported.value;
    held.declared.value += each.memory.declared.value;
    held.unverified += each.memory.unverified;
  }
  return held;
}

void write_memory(JsonWriter& json, const Status& status, const JobNames& names) {
  json.member("memory", status.memory, [&](const MemoryStatus& memory) {
    json.begin_object().member("where", memory.where).member("limit", memory.limit);
    json.member("used", memory.used).member("promised", memory.promised);
    json.member("others", memory.others).member("kept", memory.kept);
    json.member("margin", memory.margin).key("most");
    if (memory.most == JobId{}) {
      json.null();
    } else {
      const std::string name = names ? names(memory.most) : "";
      json.value(name.empty() ? std::to_string(memory.most.value) : name);
    }
    json.key("held");
    write_held(json, held_by_all(status.queues));
    json.end_object();
  });
}

void write_cpu(JsonWriter& json, const CpuStatus& cpu) {
  json.begin_object().member("cpus", cpu.cpus).member("busy", cpu.busy);
  json.member("waiting", cpu.waiting).member("demand", cpu.demand);
  json.member("others", cpu.others).end_object();
}

void write_refusals(JsonWriter& json, std::string_view key, const std::vector<Refusal>& all,
                    const JobNames& names) {
  json.list(key, all, [&](const Refusal& refusal) { write_refusal(json, refusal, names); });
}

/// Since when the oldest job waits.
void write_oldest(JsonWriter& json, const std::optional<TimePoint>& arrival, TimePoint now) {
  json.member("oldest_wait", arrival, [&](TimePoint at) { return age_seconds(now, at); });
}

void write_queue(JsonWriter& json, const QueueStatus& queue, TimePoint now, const JobNames& names) {
  json.begin_object().member("name", queue.name).member("paused", queue.paused);
  json.member("running", queue.running).member("pending", queue.pending);
  json.member("ended", queue.ended);
  json.member("pending_cost", queue.pending_cost).member("held", queue.held);
  json.member_or_null("branch_of", queue.branch_of).member("held_cost", queue.held_cost);
  write_oldest(json, queue.oldest_arrival, now);
  write_optional(json, "limiting", queue.limiting, names);
  write_refusals(json, "blockers", queue.blockers, names);
  json.end_object();
}

void write_resource(JsonWriter& json, const ResourceStatus& resource) {
  json.begin_object().member("manager", resource.key).member("kind", to_string(resource.kind));
  json.key("total");
  const bool limitless = resource.kind == ResourceOptions::Kind::highlander;
  limitless ? json.null() : json.value(resource.total);
  json.member("used", resource.used).member("waiting", resource.waiting).end_object();
}

void write_jobs(JsonWriter& json, const Status& status, TimePoint now) {
  json.key("jobs").begin_object().member("running", status.running);
  json.member("pending", status.pending).member("starting", status.starting);
  json.member("pending_cost", status.pending_cost);
  write_oldest(json, status.oldest_arrival, now);
  json.end_object();
}

}  // namespace

void write_status(JsonWriter& json, const Status& status, const Instant& instant,
                  const JobNames& names) {
  const TimePoint now = instant.now;
  write_window(json, status, instant);
  write_jobs(json, status, now);
  json.member("registered", status.registered).member("paused", status.paused);
  json.member("draining", status.draining);
  write_optional(json, "full", status.full, names);
  write_refusals(json, "blockers", status.blockers, names);
  write_optional(json, "limiting", status.limiting, names);
  json.list("queues", status.queues,
            [&](const QueueStatus& queue) { write_queue(json, queue, now, names); });
  json.list("resources", status.resources,
            [&](const ResourceStatus& resource) { write_resource(json, resource); });
  write_memory(json, status, names);
  json.member("cpu", status.cpu, [&](const CpuStatus& cpu) { write_cpu(json, cpu); });
  json.member("short_of_capacity", status.short_of_capacity);
  json.list("sensors", status.sensors,
            [&](const SensorStatus& sensor) { write_sensor(json, sensor, now); });
}

void write_counters(JsonWriter& json, const Counters& counters) {
  json.member("submitted", counters.submitted).member("admitted", counters.admitted);
  json.member("cancelled", counters.cancelled);
  json.member("wait_seconds", counters.wait.sum);
  json.member("duration_seconds", counters.duration.sum);
  write_counts(json, "finished", counters.finished, Outcome{});
  write_counts(json, "rejected", counters.rejected, RefusalCode{});
  write_counts(json, "window_increases", counters.window_increases, WindowCause{});
  write_counts(json, "window_decreases", counters.window_decreases, WindowCause{});
  json.member("registrations", counters.registrations);
  write_counts(json, "deregistrations", counters.deregistrations, RefusalCode{});
}

}  // namespace sluice

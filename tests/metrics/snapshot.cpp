#include "snapshot.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kNow{seconds(5000)};
constexpr double kGiB = 1024.0 * 1024 * 1024;

Counters busy_counters() {
  Counters counted;
  counted.submitted = 40;
  counted.admitted = 31;
  counted.finished = {24, 2, 1, 1};
  counted.cancelled = 2;
  counted.rejected[static_cast<std::size_t>(RefusalCode::impossible)] = 3;
  counted.window_increases[static_cast<std::size_t>(WindowCause::slow_start)] = 2;
  counted.window_decreases[static_cast<std::size_t>(WindowCause::red)] = 1;
  counted.registrations = 2;
  counted.deregistrations[static_cast<std::size_t>(RefusalCode::sensor)] = 2;
  counted.wait.counts = {10, 5, 0, 8, 0, 0, 4, 0, 0, 3, 1};
  counted.wait.sum = 7000.25;
  counted.duration.counts = {0, 0, 0, 0, 0, 1, 0, 2, 20, 4, 0, 0, 0, 1};
  counted.duration.sum = 12345.5;
  return counted;
}

SensorStatus memory_sensor() {
  SensorStatus memory = green_sensor(
      "memory", {{"available", 0.375 * kGiB, 0.5 * kGiB, 10 * kGiB, Unit::bytes, 1.3333}});
  memory.policy.acts = Acts::congestion;
  memory.red = true;
  return memory;
}

SensorStatus unreadable_sensor() {
  SensorStatus cgroup;
  cgroup.name = "cgroup";
  cgroup.policy.acts = Acts::congestion;
  cgroup.policy.on_error = OnError::ignore;
  cgroup.ignored = true;
  cgroup.failure = "/sys/fs/cgroup/memory.current: No such file or directory";
  cgroup.failures = 7;
  return cgroup;
}

SensorStatus disk_sensor() {
  SensorStatus disk =
      green_sensor("disk", {{"/var", 40 * kGiB, 5 * kGiB, 100 * kGiB, Unit::bytes, 0.125},
                            {"/var inodes", 900000, 50000, 1000000, Unit::count, 0.0556}});
  disk.reading->source = "/var";
  return disk;
}

QueueStatus queue(std::string name) {
  QueueStatus queue;
  queue.name = std::move(name);
  return queue;
}

void fill_queues(Status& status) {
  QueueStatus& standard = status.queues[0];
  standard.running = 2;
  standard.pending = 3;
  standard.pending_cost = Points{45};
  standard.held = 1;
  standard.held_cost = Points{20};
  standard.memory = {Bytes{600'000'000}, Bytes{100'000'000}, Bytes{200'000'000}, 1};
  standard.oldest_arrival = status.oldest_arrival;
  standard.limiting = status.limiting;
  QueueStatus& nightly = status.queues[1];
  nightly.paused = true;
  nightly.running = 1;
  nightly.pending = 1;
  nightly.pending_cost = Points{15};
  nightly.held = 1;
  nightly.held_cost = Points{15};
  nightly.memory.measured = Bytes{300'000'000};
  nightly.oldest_arrival = kNow - milliseconds(2250);
  nightly.limiting = Refusal{
      RefusalCode::queue_paused, "nightly", Points{15}, Points{35}, Points{40}, JobId{}, 0, 0, 0};
  status.resources[0].used = 3;
  status.resources[0].waiting = 2;
  status.resources[1].used = 2;
  status.resources[2].used = 1;
}

}  // namespace

SensorStatus green_sensor(std::string name, std::vector<Condition> conditions) {
  SensorStatus sensor;
  sensor.name = std::move(name);
  sensor.up = sensor.fresh = true;
  sensor.taken = kNow - milliseconds(500);
  sensor.read_duration = microseconds(125);
  Reading reading;
  reading.conditions = std::move(conditions);
  const auto worst = std::max_element(
      reading.conditions.begin(), reading.conditions.end(),
      [](const Condition& a, const Condition& b) { return a.pressure < b.pressure; });
  reading.worst = static_cast<std::size_t>(worst - reading.conditions.begin());
  sensor.reading = std::move(reading);
  return sensor;
}

Status idle_status() {
  Status status;
  status.now = kNow;
  status.size = Points{20};
  status.minimum = Points{10};
  status.maximum = Points{200};
  status.threshold = Points{30};
  status.cpu = CpuStatus{2, 0.75, 0.25, 1.5, 0.5};
  status.memory = MemoryStatus{"/pod",
                               Bytes{2'000'000'000},
                               Bytes{900'000'000},
                               Bytes{1'800'000'000},
                               Bytes{150'000'000},
                               Bytes{1'200'000'000},
                               Bytes{75'000'000}};
  status.registered = true;
  status.queues.push_back(queue("default"));
  status.queues.push_back(queue("nightly"));
  status.resources = {{"db", ResourceOptions::Kind::quantity, 4, 0, 0},
                      {"ports", ResourceOptions::Kind::discrete, 2, 0, 0},
                      {"solo", ResourceOptions::Kind::highlander, 0, 0, 0}};
  return status;
}

Status busy_status() {
  Status status = idle_status();
  status.size = Points{40};
  status.usage = Points{35};
  status.running = 3;
  status.starting = 1;
  status.pending = 4;
  status.pending_cost = Points{60};
  status.oldest_arrival = kNow - milliseconds(12500);
  status.registered = false;
  status.short_of_capacity = true;
  status.limiting =
      Refusal{RefusalCode::sensor, "memory", Points{15}, Points{35}, Points{40}, JobId{}, 0, 0, 0};
  fill_queues(status);
  SensorStatus load = green_sensor("load", {{"load1", 2.25, 5.0, std::nullopt, Unit::count, 0.45}});
  SensorStatus pressure =
      green_sensor("io_pressure", {{"full", 0.125, 0.4, std::nullopt, Unit::ratio, 0.3125}});
  SensorStatus pids = green_sensor("pids", {{"host", 31700, 1600, 32000, Unit::tasks, 0.0505},
                                            {"cgroup", 880, 50, 1000, Unit::tasks, 0.0568}});
  status.sensors = {load, memory_sensor(), pressure, unreadable_sensor(), disk_sensor(), pids};
  status.counters = busy_counters();
  return status;
}

ServiceFacts busy_facts() {
  ServiceFacts facts;
  facts.version = "1.2.3";
  facts.revision = "abc1234";
  facts.now_unix = 1700000000.25;
  facts.start_unix = 1699995000.5;
  facts.cpu_seconds = 1.5;
  facts.resident = Bytes{9 << 20};
  facts.open_fds = 21;
  facts.max_fds = 1024;
  facts.jobserver = {1, 2, 5, 1, 40, 3, 2};
  facts.suspensions = 4;
  facts.kept_memory = {{"declared", 0, 0, 0, 0}, {"key", 1200, 3, 4.5e12, 1.25e12}};
  facts.state = {"/var/lib/sluice/jobs.db",
                 "disk I/O error",
                 7,
                 2,
                 30,
                 HistoryFacts{"/var/lib/sluice/history.db", "disk I/O error"}};
  facts.record = {"/var/lib/sluice/record", 1234567, 3, "No space left on device"};
  facts.shadow = ShadowFacts{.config_file = "next.yaml",
                             .law = "knee",
                             .size = Points{45},
                             .usage = Points{30},
                             .red = {"load"},
                             .would_start = {JobId{7}, JobId{9}},
                             .would_refuse = 0,
                             .refusal = "",
                             .began = 41,
                             .held = 5,
                             .last_held = JobId{3},
                             .differences = {}};
  facts.work_sources = {{"gearman", "queue1:4730", true, "", {"executor:execute"}, 2, 17},
                        {"gearman", "queue2:4730", false, "Connection refused", {}, 0, 0}};
  facts.client_connections = 2;
  facts.client_requests = {{"submit", 201, 40}, {"submit", 422, 3}, {"status", 200, 0}};
  facts.reload_ok = false;
  facts.last_reload_unix = 1699999000;
  facts.reload_failures = 1;
  facts.internal_errors = {{"request", 2}, {"timer", 0}};
  facts.statsd_failures = 5;
  return facts;
}

}  // namespace sluice

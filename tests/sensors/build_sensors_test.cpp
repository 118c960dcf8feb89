#include "sensors/build_sensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "host_trees.h"

namespace sluice {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

Names names_of(const std::vector<Sensor>& sensors) {
  Names names;
  for (const Sensor& sensor : sensors) names.push_back(sensor.name);
  return names;
}

std::vector<Sensor> built(const char* kind, const SensorOptions& options = {}) {
  const HostPaths paths = host_tree(kind);
  return build_sensors(options, read_host_facts(paths), paths, std::nullopt);
}

Sensor find(const std::vector<Sensor>& sensors, const std::string& name) {
  for (const Sensor& sensor : sensors) {
    if (sensor.name == name) return sensor;
  }
  ADD_FAILURE() << "no sensor " << name;
  return {};
}

TEST(BuildSensors, LeavesOutWhatMakesNoSenseOnAHost) {
  EXPECT_EQ(names_of(built("v2")),
            (Names{"load", "memory", "memory_pressure", "io_pressure", "cgroup", "disk", "pids"}));
  EXPECT_EQ(names_of(built("service")),
            (Names{"memory", "memory_pressure", "io_pressure", "cgroup", "disk", "pids"}));
  EXPECT_EQ(names_of(built("pod_v1")), (Names{"memory", "cgroup", "disk", "pids"}));
  EXPECT_EQ(names_of(built("bare")), (Names{"load", "memory", "disk", "pids"}));
}

TEST(BuildSensors, KeepsWhatIsOnAndDropsWhatIsOff) {
  SensorOptions options;
  options.load.presence = Presence::on;
  options.io_pressure.presence = Presence::on;
  options.disk.presence = Presence::off;
  options.memory.presence = Presence::off;
  const auto sensors = built("pod_v1", options);
  EXPECT_EQ(names_of(sensors), (Names{"load", "io_pressure", "cgroup", "pids"}));
  const Measurement io = find(sensors, "io_pressure").measure(at_seconds(0));
  EXPECT_NE(std::get<ReadFailure>(io.result).what.find("/proc/pressure/io"), std::string::npos);
}

TEST(BuildSensors, CpuPressureIsThereOnceItHasALimit) {
  SensorOptions options;
  options.cpu_pressure.limit = 0.6;
  EXPECT_EQ(names_of(built("v2", options))[1], "cpu_pressure");
  EXPECT_EQ(names_of(built("bare", options))[1], "memory");
}

TEST(BuildSensors, GivesEachSensorItsPolicy) {
  SensorOptions options;
  options.memory.resume = 0.5;
  options.memory.on_error = OnError::red;
  options.memory.max_age = seconds(3);
  options.memory.acts = Acts::gate;
  FileSensorOptions slow;
  slow.path = "/n";
  slow.limit = 1;
  slow.every = seconds(60);
  options.files["slow"] = slow;
  const auto sensors = built("v2", options);
  for (const Sensor& sensor : sensors) {
    if (sensor.name == "memory") continue;
    const bool is_gate = sensor.name == "disk" || sensor.name == "pids" || sensor.name == "slow";
    EXPECT_EQ(sensor.policy.acts, is_gate ? Acts::gate : Acts::congestion) << sensor.name;
    EXPECT_EQ(sensor.policy.resume, 0.9) << sensor.name;
    EXPECT_EQ(sensor.policy.on_error, OnError::hold) << sensor.name;
  }
  const SensorPolicy memory = find(sensors, "memory").policy;
  EXPECT_EQ(memory.acts, Acts::gate);
  EXPECT_EQ(memory.resume, 0.5);
  EXPECT_EQ(memory.on_error, OnError::red);
  EXPECT_EQ(memory.max_age, seconds(3));
  EXPECT_EQ(find(sensors, "load").policy.max_age, seconds(10));
  EXPECT_EQ(find(sensors, "disk").policy.max_age, seconds(15));
  EXPECT_EQ(find(sensors, "slow").policy.max_age, seconds(180));
}

TEST(BuildSensors, HandsLimitsOn) {
  SensorOptions options;
  options.load.limit = 1;
  options.memory.limit = 0.5;
  options.memory_pressure.full = 0.01;
  options.cgroup.limit = 0.5;
  options.pids.headroom = 4'000'000;
  const auto sensors = built("hybrid", options);
  const auto limit = [&sensors](const char* name, const char* condition) {
    const Measurement measurement = find(sensors, name).measure(at_seconds(0));
    return *condition_of(reading_or_fail(measurement.result), condition).limit;
  };
  EXPECT_EQ(limit("load", "load1"), 2);
  EXPECT_EQ(limit("memory", "available"), 4.0 * kGiB);
  EXPECT_EQ(limit("memory_pressure", "full"), 0.01);
  EXPECT_EQ(limit("cgroup", "memory"), 512.0 * kMiB);
  EXPECT_EQ(limit("pids", "host"), 4'000'000);
}

TEST(BuildSensors, TakesAnybodysOwnSensors) {
  const TemporaryTree tree{{"/n", "30"}};
  SensorOptions options;
  FileSensorOptions file;
  file.path = tree.at("/n");
  file.limit = 40;
  options.files["licences"] = file;
  options.files["unused"] = FileSensorOptions{{Presence::off, 1, {}, {}, {}, {}}, "/none"};
  CommandSensorOptions command;
  command.command = {"true"};
  command.acts = Acts::congestion;
  options.commands["check"] = command;
  const auto sensors = built("bare", options);
  EXPECT_EQ(names_of(sensors), (Names{"load", "memory", "disk", "pids", "licences", "check"}));
  EXPECT_EQ(find(sensors, "check").policy.acts, Acts::congestion);
  const Measurement licences = find(sensors, "licences").measure(Clock::now());
  EXPECT_EQ(reading_or_fail(licences.result).pressure(), 0.75);
}

TEST(BuildSensors, WatchesTheRootTheTemporaryFolderAndTheStateFolder) {
  ASSERT_EQ(::setenv("TMPDIR", "/var/tmp", 1), 0);
  EXPECT_EQ(default_disk_paths("/state"), (Names{"/", "/var/tmp", "/state"}));
  ASSERT_EQ(::unsetenv("TMPDIR"), 0);
  EXPECT_EQ(default_disk_paths(std::nullopt), (Names{"/", "/tmp"}));
}

using Change = void (*)(SensorOptions&);

FileSensorOptions file_with(std::optional<double> limit) {
  FileSensorOptions file;
  file.path = "/n";
  file.limit = limit;
  return file;
}

const std::pair<const char*, Change> kBad[] = {
    {"sensors.load.limit", [](SensorOptions& o) { o.load.limit = 0; }},
    {"sensors.load.limit", [](SensorOptions& o) { o.load.limit = -1; }},
    {"sensors.load.limit", [](SensorOptions& o) { o.load.limit = NAN; }},
    {"sensors.load.limit", [](SensorOptions& o) { o.load.limit = INFINITY; }},
    {"sensors.load.resume", [](SensorOptions& o) { o.load.resume = 0; }},
    {"sensors.load.resume", [](SensorOptions& o) { o.load.resume = 1.01; }},
    {"sensors.pids.max_age", [](SensorOptions& o) { o.pids.max_age = seconds(0); }},
    {"sensors.cpu_pressure.limit", [](SensorOptions& o) { o.cpu_pressure.limit = 1.1; }},
    {"sensors.memory.limit", [](SensorOptions& o) { o.memory.limit = 1; }},
    {"sensors.memory.limit", [](SensorOptions& o) { o.memory.limit = -0.1; }},
    {"sensors.memory_pressure.limit", [](SensorOptions& o) { o.memory_pressure.limit = 0; }},
    {"sensors.memory_pressure.full", [](SensorOptions& o) { o.memory_pressure.full = 2; }},
    {"sensors.io_pressure.limit", [](SensorOptions& o) { o.io_pressure.limit = NAN; }},
    {"sensors.cgroup.limit", [](SensorOptions& o) { o.cgroup.limit = 1.5; }},
    {"sensors.cgroup.throttled", [](SensorOptions& o) { o.cgroup.throttled = 0; }},
    {"sensors.disk.limit", [](SensorOptions& o) { o.disk.limit = 1; }},
    {"sensors.disk.paths", [](SensorOptions& o) { o.disk.paths.emplace(); }},
    {"sensors.disk.limits", [](SensorOptions& o) { o.disk.limits["/"] = 1; }},
    {"sensors.disk.limits", [](SensorOptions& o) { o.disk.limits["tmp"] = 0.1; }},
    {"sensors.disk.paths", [](SensorOptions& o) { o.disk.paths = Names{"tmp"}; }},
    {"sensors.pids.limit", [](SensorOptions& o) { o.pids.limit = 1; }},
    {"sensors.pids.headroom", [](SensorOptions& o) { o.pids.headroom = -1; }},
    {"sensors.x.limit", [](SensorOptions& o) { o.files["x"] = file_with({}); }},
    {"sensors.x.limit", [](SensorOptions& o) { o.files["x"] = file_with(0); }},
    {"sensors.x.path",
     [](SensorOptions& o) { o.files["x"] = file_with(1), o.files["x"].path = ""; }},
    {"sensors.x.every",
     [](SensorOptions& o) { o.files["x"] = file_with(1), o.files["x"].every = seconds(0); }},
    {"sensors.x.every",
     [](SensorOptions& o) { o.files["x"] = file_with(1), o.files["x"].every = Duration{1}; }},
    {"sensors.x.every",
     [](SensorOptions& o) { o.files["x"] = file_with(1), o.files["x"].every = Duration::max(); }},
    {"sensors.c.every",
     [](SensorOptions& o) {
       o.commands["c"].command = {"true"};
       o.commands["c"].every = Duration::max();
     }},
    {"sensors.c.timeout",
     [](SensorOptions& o) {
       o.commands["c"].command = {"true"};
       o.commands["c"].timeout = Duration::max();
     }},
    {"sensors.load", [](SensorOptions& o) { o.files["load"] = file_with(1); }},
    {"sensors.pause", [](SensorOptions& o) { o.files["pause"] = file_with(1); }},
    {"sensors.A-b", [](SensorOptions& o) { o.files["A-b"] = file_with(1); }},
    {"sensors.", [](SensorOptions& o) { o.files[""] = file_with(1); }},
    {"sensors.c.command", [](SensorOptions& o) { o.commands["c"] = {}; }},
    {"sensors.c.timeout",
     [](SensorOptions& o) {
       o.commands["c"].command = {"true"};
       o.commands["c"].timeout = seconds(-1);
     }},
    {"sensors.x",
     [](SensorOptions& o) {
       o.files["x"] = file_with(1);
       o.commands["x"].command = {"true"};
     }},
};

TEST(BuildSensors, RefusesWhatCannotBeAndNamesTheField) {
  for (const auto& [field, change] : kBad) {
    SensorOptions options;
    change(options);
    try {
      built("bare", options);
      ADD_FAILURE() << field << " was accepted";
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.substr(0, text.find(':')), field) << text;
    }
  }
}

TEST(BuildSensors, WorksOnThisHost) {
  const auto sensors = build_sensors({}, read_host_facts({}), {}, std::nullopt);
  ASSERT_FALSE(sensors.empty());
  for (const Sensor& sensor : sensors) {
    const Reading reading = reading_or_fail(sensor.measure(Clock::now()).result);
    EXPECT_FALSE(reading.sentence.empty()) << sensor.name;
    EXPECT_FALSE(reading.source.empty()) << sensor.name;
  }
}

}  // namespace
}  // namespace sluice

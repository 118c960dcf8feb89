// Every key sets its own option.
#include <gtest/gtest.h>

#include "config/effective.h"
#include "config_tests/parse.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(Options, AnEmptyFileGivesTheDefaultsOfTheStructs) {
  const Config config = config_of("");
  EXPECT_EQ(config.governing.window.law, Law::knee);
  EXPECT_FALSE(config.governing.window.initial);
  EXPECT_EQ(config.governing.max_pending, 100000u);
  EXPECT_EQ(config.service.listen, "127.0.0.1:9797");
  EXPECT_EQ(config.statsd.address, "");
  EXPECT_FALSE(config.governing.state_dir);
}

TEST(Options, OfTheWindow) {
  const WindowOptions window =
      config_of(
          "window: {law: rfc, initial: 3/cpu, minimum: 2, maximum: 90, threshold: 40, step: "
          "4, increase_above: 70%, interval: 2s, round: 16s, cut_settle: 61s, cut_gain: 0.6,"
          " hard: 1.3, idle_restart: 11min, dwell: 3s}")
          .governing.window;
  EXPECT_EQ(window.law, Law::rfc);
  EXPECT_EQ(window.initial, (PointsSpec{3, PointsSpec::Per::cpu}));
  EXPECT_EQ(window.minimum, PointsSpec{2});
  EXPECT_EQ(window.maximum, PointsSpec{90});
  EXPECT_EQ(window.threshold, PointsSpec{40});
  EXPECT_EQ(window.step, PointsSpec{4});
  EXPECT_EQ(window.increase_above, 0.7);
  EXPECT_EQ(window.interval, 2s);
  EXPECT_EQ(window.round, 16s);
  EXPECT_EQ(window.cut_settle, 61s);
  EXPECT_EQ(window.cut_gain, 0.6);
  EXPECT_EQ(window.hard, 1.3);
  EXPECT_EQ(window.idle_restart, 11min);
  EXPECT_EQ(window.dwell, 3s);
}

TEST(Options, OfTheSensors) {
  const Options options =
      config_of(
          "sensors:\n"
          "  load: {limit: 1.5, resume: 0.8, on_error: red, max_age: 20s, acts: gate}\n"
          "  cpu_pressure: {limit: 70%}\n"
          "  memory: {limit: 6%, on_error: green}\n"
          "  memory_pressure: {limit: 21%, full: 11%, on_error: ignore}\n"
          "  io_pressure: {limit: 41%, presence: on}\n"
          "  cgroup: {limit: 96%, throttled: 51%, presence: automatic}\n"
          "  disk: {limit: 7%, paths: [/a, '/b c'], limits: {/a: 15%}, acts: congestion}\n"
          "  pids: {limit: 8%, headroom: 12}\n"
          "  starting: {most: 9, floor: 2, presence: off}\n")
          .governing;
  const SensorOptions& sensors = options.sensors;
  EXPECT_EQ(sensors.load.limit, 1.5);
  EXPECT_EQ(sensors.load.resume, 0.8);
  EXPECT_EQ(sensors.load.on_error, OnError::red);
  EXPECT_EQ(sensors.load.max_age, 20s);
  EXPECT_EQ(sensors.load.acts, Acts::gate);
  EXPECT_EQ(sensors.load.presence, Presence::automatic);
  EXPECT_EQ(sensors.cpu_pressure.limit, 0.7);
  EXPECT_EQ(sensors.memory.limit, 0.06);
  EXPECT_EQ(sensors.memory.on_error, OnError::green);
  EXPECT_EQ(sensors.memory_pressure.limit, 0.21);
  EXPECT_EQ(sensors.memory_pressure.full, 0.11);
  EXPECT_EQ(sensors.memory_pressure.on_error, OnError::ignore);
  EXPECT_EQ(sensors.io_pressure.limit, 0.41);
  EXPECT_EQ(sensors.io_pressure.presence, Presence::on);
  EXPECT_EQ(sensors.cgroup.limit, 0.96);
  EXPECT_EQ(sensors.cgroup.throttled, 0.51);
  EXPECT_EQ(sensors.disk.limit, 0.07);
  EXPECT_EQ(sensors.disk.paths, (std::vector<std::string>{"/a", "/b c"}));
  EXPECT_EQ(sensors.disk.limits, (std::map<std::string, double>{{"/a", 0.15}}));
  EXPECT_EQ(sensors.disk.acts, Acts::congestion);
  EXPECT_EQ(sensors.pids.limit, 0.08);
  EXPECT_EQ(sensors.pids.headroom, 12);
  EXPECT_EQ(options.starting.most, 9);
  EXPECT_EQ(options.starting.floor, 2);
  EXPECT_EQ(options.starting_presence, Presence::off);
}

TEST(Options, ASensorIsSwitchedWithOneWord) {
  for (const std::string name : {"load", "cpu_pressure", "memory", "memory_pressure", "io_pressure",
                                 "cgroup", "disk", "pids", "starting"}) {
    const Config config = config_of("sensors: {" + name + ": off}");
    EXPECT_EQ(config.given.size(), 1u);
    EXPECT_TRUE(config.given.contains("sensors." + name + ".presence")) << name;
  }
  const SensorOptions sensors =
      config_of("sensors: {load: off, memory: on, disk: 'off', pids: true, cgroup: False}")
          .governing.sensors;
  EXPECT_EQ(sensors.load.presence, Presence::off);
  EXPECT_EQ(sensors.memory.presence, Presence::on);
  EXPECT_EQ(sensors.disk.presence, Presence::off);
  EXPECT_EQ(sensors.pids.presence, Presence::on);
  EXPECT_EQ(sensors.cgroup.presence, Presence::off);
  EXPECT_EQ(sensors.io_pressure.presence, Presence::automatic);
}

TEST(Options, OfBuilds) {
  const BuildOptions build =
      config_of(
          "build: {programs: {swiftc: heavy, protoc: unknown, w.sh: free}, timers: [bats], "
          "timed_hold: 2s}")
          .build;
  using enum BuildOptions::Program;
  EXPECT_EQ(build.programs, (std::map<std::string, BuildOptions::Program>{
                                {"swiftc", heavy}, {"protoc", unknown}, {"w.sh", free}}));
  EXPECT_EQ(build.timers, std::vector<std::string>{"bats"});
  EXPECT_EQ(build.timed_hold, 2s);
}

TEST(Options, OfYourOwnSensors) {
  const SensorOptions sensors =
      config_of(
          "sensors:\n"
          "  licences: {kind: file, path: /run/l, limit: 40, every: 2s, acts: congestion}\n"
          "  space: {path: /run/s, limit: 1.5GiB, kind: file, presence: off}\n"
          "  ready: {kind: command, command: [/bin/test, -e, /x], every: 3s, timeout: 1s}\n"
          "  count: {kind: command, command: [count], limit: 7, resume: 70%}\n")
          .governing.sensors;
  ASSERT_EQ(sensors.files.size(), 2u);
  EXPECT_EQ(sensors.files.at("licences").path, "/run/l");
  EXPECT_EQ(sensors.files.at("licences").limit, 40);
  EXPECT_EQ(sensors.files.at("licences").every, 2s);
  EXPECT_EQ(sensors.files.at("licences").acts, Acts::congestion);
  EXPECT_EQ(sensors.files.at("space").limit, 1610612736);
  EXPECT_EQ(sensors.files.at("space").presence, Presence::off);
  ASSERT_EQ(sensors.commands.size(), 2u);
  EXPECT_EQ(sensors.commands.at("ready").command,
            (std::vector<std::string>{"/bin/test", "-e", "/x"}));
  EXPECT_EQ(sensors.commands.at("ready").every, 3s);
  EXPECT_EQ(sensors.commands.at("ready").timeout, 1s);
  EXPECT_FALSE(sensors.commands.at("ready").limit);
  EXPECT_EQ(sensors.commands.at("count").limit, 7);
  EXPECT_EQ(sensors.commands.at("count").resume, 0.7);
}

TEST(ConfigOptions, TheModelOfCostFollowsTheLawUnlessGiven) {
  using Model = CostOptions::Model;
  const auto shown = [](const std::string& text) {
    for (const EffectiveValue& each : effective_values(config_of(text))) {
      if (each.path == "cost.model") return each.value + ", " + each.origin;
    }
    return std::string();
  };
  EXPECT_EQ(config_of("").governing.cost.model, std::nullopt);
  EXPECT_EQ(config_of("cost: {model: history}").governing.cost.model, Model::history);
  EXPECT_EQ(shown(""), "history, default");
  EXPECT_EQ(shown("window: {law: rfc}"), "formula, default for rfc");
  EXPECT_EQ(shown("window: {law: rfc}\ncost: {model: history}"), "history, f:2:15");
}

TEST(ConfigOptions, MemoryIsKeptAsGiven) {
  const ReservationOptions given =
      config_of("memory: {reserve: 20%, z: 3, prior: 1.5GiB, brake: off, retries: 0, enforce: max}")
          .governing.reservation;
  EXPECT_DOUBLE_EQ(given.reserve, 0.2);
  EXPECT_DOUBLE_EQ(given.z, 3);
  EXPECT_EQ(given.prior, Bytes{3ULL << 29});
  EXPECT_EQ(given.brake, ReservationOptions::Brake::off);
  EXPECT_EQ(given.retries, 0);
  EXPECT_EQ(given.enforce, ReservationOptions::Enforce::max);
}

TEST(Options, OfCostServiceMetricsAndState) {
  const Config config = config_of(
      "cost: {model: formula, base: 0, per_node: 3, minimum: 2}\n"
      "service: {socket: /run/x.sock, listen: '[::1]:0', max_pending: 17}\n"
      "metrics: {statsd: {address: 'h:8125', names: zuul, prefix: ci.x, every: 5s}}\n"
      "state_dir: /var/lib/x\n");
  EXPECT_EQ(config.governing.cost.base, Points{0});
  EXPECT_EQ(config.governing.cost.per_node, Points{3});
  EXPECT_EQ(config.governing.cost.minimum, Points{2});
  EXPECT_EQ(config.service.socket, "/run/x.sock");
  EXPECT_EQ(config.service.listen, "[::1]:0");
  EXPECT_EQ(config.governing.max_pending, 17u);
  EXPECT_EQ(config.statsd.address, "h:8125");
  EXPECT_EQ(config.statsd.names, StatsdNames::zuul);
  EXPECT_EQ(config.statsd.prefix, "ci.x");
  EXPECT_EQ(config.statsd.every, 5s);
  EXPECT_EQ(config.governing.state_dir, "/var/lib/x");
}

TEST(Options, NullAndOffMeanNone) {
  for (const std::string none : {"off", "Off", "null", "~", "", "false"}) {
    const Config config = config_of("service:\n  listen: " + none +
                                    "\nmetrics:\n  statsd:\n    "
                                    "address: " +
                                    none + "\n");
    EXPECT_EQ(config.service.listen, "") << none;
    EXPECT_EQ(config.statsd.address, "") << none;
  }
  const Config config = config_of(
      "service: {socket: ~}\nstate_dir: null\nsensors: {disk: {paths: null}, cpu_pressure: {limit: "
      "~}}");
  EXPECT_EQ(config.service.socket, "");
  EXPECT_FALSE(config.governing.state_dir);
  EXPECT_FALSE(config.governing.sensors.disk.paths);
  EXPECT_FALSE(config.governing.sensors.cpu_pressure.limit);
}

TEST(Options, RememberWhereTheyStand) {
  const Config config = config_of("window:\n  step: 3\nsensors: {disk: {paths: [/a]}, load: off}");
  const std::map<std::string, ConfigPosition> given{
      {"window.step", {2, 9}}, {"sensors.disk.paths", {3, 25}}, {"sensors.load.presence", {3, 38}}};
  EXPECT_EQ(config.given, given);
}

}  // namespace
}  // namespace sluice

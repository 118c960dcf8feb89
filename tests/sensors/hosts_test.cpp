// Complete hosts: the facts found in each of the trees, and the readings of its sensors.

#include <gtest/gtest.h>

#include <algorithm>

#include "host_trees.h"
#include "sensors/build_sensors.h"
#include "sensors/cgroup.h"
#include "sensors/host.h"
#include "sensors/load.h"
#include "sensors/memory.h"

namespace sluice {
namespace {

TEST(LookAtHost, FindsTheCpusThatMayBeUsed) {
  struct {
    const char* kind;
    int online;
    double usable;
  } const rows[] = {
      {"v2", 4, 4},      {"v1", 4, 4},      {"hybrid", 2, 2},  {"service", 4, 1.5},
      {"pod_v1", 64, 2}, {"pod_v2", 64, 2}, {"nested", 4, .5}, {"bare", 4, 4},
  };
  for (const auto& row : rows) {
    const HostFacts facts = read_host_facts(host_tree(row.kind));
    EXPECT_EQ(facts.cpus_online, row.online) << row.kind;
    EXPECT_EQ(facts.cpus_usable, row.usable) << row.kind;
    EXPECT_TRUE(facts.memory_total) << row.kind;
    EXPECT_TRUE(facts.problems.empty()) << row.kind << ": " << facts.problems.front();
  }
}

TEST(LookAtHost, AnAffinityLeavesFewerCpus) {
  auto files = v2_host("/x");
  files["/proc/self/status"] = "Cpus_allowed_list:\t1-2\n";
  const TemporaryTree tree(files);
  EXPECT_EQ(read_host_facts(tree.paths()).cpus_usable, 2);
}

TEST(LookAtHost, NamesWhatCannotBeFoundOut) {
  const HostFacts facts = read_host_facts(host_tree("garbage"));
  EXPECT_GE(facts.cpus_online, 1);
  EXPECT_GT(facts.cpus_usable, 0);
  EXPECT_FALSE(facts.memory_total);
  EXPECT_EQ(facts.problems.size(), 4u);
  const TemporaryTree empty;
  EXPECT_EQ(read_host_facts(empty.paths()).problems.size(), 3u);
}

TEST(LookAtHost, WorksOnThisHost) {
  const HostFacts facts = read_host_facts({});
  EXPECT_GE(facts.cpus_online, 1);
  EXPECT_GT(facts.cpus_usable, 0);
  EXPECT_LE(facts.cpus_usable, facts.cpus_online);
  ASSERT_TRUE(facts.memory_total);
  EXPECT_GT(facts.memory_total->value, 16 * kMiB);
}

struct CgroupRow {
  const char* kind;
  double working_set;
  std::optional<std::uint64_t> limit;
  const char* source;
};

TEST(HostTrees, TheCgroupSensorFindsTheLimitThatBinds) {
  const std::string base = "/sys/fs/cgroup";
  const CgroupRow rows[] = {
      {"v2", 1.0 * kGiB, std::nullopt, "/user.slice/user-1000.slice/session-4.scope"},
      {"service", 1200.0 * kMiB, 1536 * kMiB, "/system.slice/executor.service"},
      {"pod_v2", 1000.0 * kMiB, 2 * kGiB, ""},
      {"pod_v1", 5153960755, 5368709120, "/memory"},
      {"v1", 3.0 * kGiB, 4 * kGiB, "/memory/ci"},
      {"hybrid", 800.0 * kMiB, kGiB, "/memory/runner/e2f9"},
      {"nested", 4.0 * kGiB - 100.0 * kMiB, 4 * kGiB, "/a"},
  };
  for (const CgroupRow& row : rows) {
    const HostPaths paths = host_tree(row.kind);
    CgroupSensor sensor(paths, read_host_facts(paths).memory_total, {});
    const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
    const Condition memory = condition_of(reading, "memory");
    EXPECT_EQ(memory.value, row.working_set) << row.kind;
    EXPECT_EQ(memory.total.has_value(), row.limit.has_value()) << row.kind;
    if (row.limit && memory.total) {
      EXPECT_EQ(*memory.total, static_cast<double>(*row.limit)) << row.kind;
      EXPECT_NEAR(memory.pressure, row.working_set / static_cast<double>(*row.limit) / 0.95, 1e-9);
    }
    EXPECT_EQ(reading.source.substr(0, (base + row.source).size()), base + row.source) << row.kind;
  }
}

TEST(HostTrees, ThePodsSensorsSpeakOfThePodAndNotOfTheNode) {
  for (const char* kind : {"pod_v1", "pod_v2"}) {
    const HostPaths paths = host_tree(kind);
    const auto sensors = build_sensors({}, read_host_facts(paths), paths, std::nullopt);
    const bool has_load = std::any_of(sensors.begin(), sensors.end(),
                                      [](const Sensor& s) { return s.name == "load"; });
    EXPECT_FALSE(has_load) << kind;
  }
}

TEST(HostTrees, TheLoadSensorIsOfTheWholeHost) {
  const HostPaths paths = host_tree("pod_v2");
  LoadSensor sensor(paths, read_host_facts(paths).cpus_online, 2.5);
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_EQ(reading.sentence, "load 48.10 of at most 160.0 (64 CPUs), 60 tasks runnable");
  EXPECT_NEAR(reading.pressure(), 48.1 / 160, 1e-12);
}

TEST(HostTrees, TheMemorySensorSpeaksInUnits) {
  MemorySensor sensor(host_tree("v2"), 0.05);
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_EQ(reading.sentence, "6.0 GiB of 8.0 GiB available (75.0%), at least 5.0%");
  EXPECT_NEAR(reading.pressure(), 0.05 / 0.75, 1e-12);
}

}  // namespace
}  // namespace sluice

#include "sensors/cgroup.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host_trees.h"
#include "sensors/cgroup/memory_limits.h"
#include "sensors/files/growth.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"

namespace sluice {
namespace {

constexpr Bytes kHost{8 * kGiB};

Result<Reading> read_tree(const TemporaryTree& tree) {
  CgroupSensor sensor(tree.paths(), kHost, {});
  return sensor.read(at_seconds(0));
}

TEST(MemoryLevelLimit, IsTheLeastThatLimits) {
  struct {
    std::optional<std::uint64_t> max, high;
    std::optional<std::uint64_t> limit;
    std::string_view by;
  } const rows[] = {
      {kGiB, std::nullopt, kGiB, "memory.max"},
      {std::nullopt, kGiB, kGiB, "memory.high"},
      {2 * kGiB, kGiB, kGiB, "memory.high"},
      {kGiB, 2 * kGiB, kGiB, "memory.max"},
      {std::nullopt, std::nullopt, std::nullopt, ""},
      {9223372036854771712u, std::nullopt, std::nullopt, ""},
      {kHost.value, std::nullopt, std::nullopt, ""},
      {kHost.value - 1, std::nullopt, kHost.value - 1, "memory.max"},
      {0, std::nullopt, 0, "memory.max"},
  };
  for (const auto& row : rows) {
    MemoryLevel level;
    set_limit(level, row.max, "memory.max", kHost);
    set_limit(level, row.high, "memory.high", kHost);
    EXPECT_EQ(level.limit.has_value(), row.limit.has_value());
    if (row.limit && level.limit) {
      EXPECT_EQ(level.limit->value, *row.limit);
    }
    EXPECT_EQ(level.limited_by, row.by);
  }
}

TEST(MemoryLevelLimit, OfV1IsUnlimitedAlsoWhereTheHostIsNotKnown) {
  MemoryLevel level;
  set_limit(level, 9223372036854771712u, "memory.limit_in_bytes", std::nullopt);
  EXPECT_FALSE(level.limit);
}

TEST(MemoryLevelKill, IsThatOfTheHighestGroupBelowTheLimitThatIsKilledWhole) {
  auto files = v2_host("/pod/box/run");
  for (const char* group : {"/pod", "/pod/box"}) {
    files.merge(open_v2_level(std::string("/sys/fs/cgroup") + group));
  }
  for (const char* group : {"/pod", "/pod/box", "/pod/box/run"}) {
    const std::string base = std::string("/sys/fs/cgroup") + group;
    files[base + "/memory.max"] = std::to_string(kGiB) + "\n";
    files[base + "/memory.oom.group"] = "0\n";
  }
  files["/sys/fs/cgroup/pod/box/memory.oom.group"] = "1\n";
  const TemporaryTree tree(files);
  using Kill = MemoryLimit::Kill;
  std::map<std::string, Kill> kills;
  for (const auto& limit :
       memory_meter(tree.paths(), read_host_facts(tree.paths()))(at_seconds(0))) {
    kills[limit.where] = limit.kill;
  }
  EXPECT_EQ(kills, (std::map<std::string, Kill>{
                       {"host", Kill::group},
                       {"/sys/fs/cgroup/pod", Kill::group},
                       {"/sys/fs/cgroup/pod/box", Kill::group},
                       // For its own limit the kernel does not consult its ancestors.
                       {"/sys/fs/cgroup/pod/box/run", Kill::process},
                   }));
}

TEST(WorkingSet, LeavesOutWhatIsEasilyGivenUpAndIsNeverNegative) {
  MemoryLevel level;
  level.current = {100};
  level.inactive_file = {30};
  EXPECT_EQ(level.working_set().value, 70u);
  level.inactive_file = {101};
  EXPECT_EQ(level.working_set().value, 0u);
}

TEST(CgroupReading, JudgesEachLevelByItsOwnUsage) {
  MemorySnapshot memory;
  memory.levels = {{"/inner", Bytes{kGiB}, "memory.max", {kGiB / 2}, {0}},
                   {"/outer", Bytes{4 * kGiB}, "memory.max", {3 * kGiB + 900 * kMiB}, {0}}};
  const Reading reading = cgroup_reading(memory, std::nullopt, {});
  const Condition condition = condition_of(reading, "memory");
  EXPECT_EQ(reading.source, "/outer");
  EXPECT_EQ(*condition.total, 4.0 * kGiB);
  EXPECT_NEAR(condition.pressure, (3 * 1024 + 900) / 4096.0 / 0.95, 1e-12);
}

TEST(CgroupReading, UnlimitedIsAConditionWithoutALimit) {
  MemorySnapshot memory;
  memory.levels = {{"/here", std::nullopt, "", {300 * kMiB}, {100 * kMiB}}};
  const Reading reading = cgroup_reading(memory, std::nullopt, {});
  const Condition condition = condition_of(reading, "memory");
  EXPECT_EQ(condition.value, 200.0 * kMiB);
  EXPECT_FALSE(condition.limit);
  EXPECT_FALSE(condition.total);
  EXPECT_EQ(reading.pressure(), 0);
  EXPECT_EQ(reading.sentence, "working set 200.0 MiB, memory unlimited; never throttled");
}

TEST(CgroupReading, ALimitOfZeroLeavesNothing) {
  MemorySnapshot memory;
  memory.levels = {{"/here", Bytes{0}, "memory.max", {0}, {0}}};
  EXPECT_EQ(cgroup_reading(memory, std::nullopt, {}).pressure(), 100);
}

TEST(CgroupReading, IsGreenAtExactlyItsLimitAndRedAbove) {
  MemorySnapshot memory;
  memory.levels = {{"/here", Bytes{100}, "memory.max", {95}, {0}}};
  EXPECT_LT(cgroup_reading(memory, std::nullopt, {}).pressure(), 1);
  memory.levels[0].current = {96};
  EXPECT_GE(cgroup_reading(memory, std::nullopt, {}).pressure(), 1);
}

TEST(CgroupReading, SaysThatThrottlingIsNotKnownYetAndThenHowMuch) {
  const Reading first = cgroup_reading({}, Throttling{std::nullopt, "/q"}, {});
  EXPECT_EQ(condition_of(first, "throttled").pressure, 0);
  EXPECT_EQ(first.sentence, "memory not accounted; throttling not yet known");
  const Reading second = cgroup_reading({}, Throttling{0.75, "/q"}, {});
  EXPECT_EQ(condition_of(second, "throttled").pressure, 1.5);
  EXPECT_EQ(second.sentence, "memory not accounted; throttled in 75.0% of periods, at most 50.0%");
  EXPECT_EQ(second.source, "/q");
}

TEST(GrowthRatio, JudgesWholeSpansAndForgetsAfterARestart) {
  GrowthRatio growth;
  EXPECT_EQ(growth.update(at_seconds(0), 10, 100), std::nullopt);
  EXPECT_EQ(growth.update(at_seconds(0.1), 20, 110), std::nullopt);
  EXPECT_EQ(growth.update(at_seconds(1), 15, 120), 0.25);
  EXPECT_EQ(growth.update(at_seconds(1.1), 25, 130), 0.25);
  EXPECT_EQ(growth.update(at_seconds(2), 25, 130), 1);
  EXPECT_EQ(growth.update(at_seconds(3), 25, 130), 0);
  EXPECT_EQ(growth.update(at_seconds(4), 0, 5), std::nullopt);
  EXPECT_EQ(growth.update(at_seconds(5), 1, 9), 0.25);
}

TEST(CgroupSensor, SeesThrottlingBetweenTwoReadings) {
  auto files = v2_host("/x");
  files["/sys/fs/cgroup/x/cpu.stat"] = "nr_periods 100\nnr_throttled 90\n";
  const TemporaryTree tree(files);
  CgroupSensor sensor(tree.paths(), kHost, {});
  const Reading first = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_EQ(condition_of(first, "throttled").pressure, 0);
  tree.write("/sys/fs/cgroup/x/cpu.stat", "nr_periods 110\nnr_throttled 98\n");
  const Reading second = reading_or_fail(sensor.read(at_seconds(1)));
  EXPECT_EQ(condition_of(second, "throttled").value, 0.8);
  EXPECT_EQ(second.source, "/sys/fs/cgroup/x");
}

TEST(CgroupSensor, TakesTheWorstLevelOfAQuota) {
  auto files = v2_host("/x/y");
  files.merge(open_v2_level("/sys/fs/cgroup/x"));
  files["/sys/fs/cgroup/x/cpu.stat"] = "nr_periods 1\nnr_throttled 0\n";
  files["/sys/fs/cgroup/x/y/cpu.stat"] = "nr_periods 1\nnr_throttled 0\n";
  const TemporaryTree tree(files);
  CgroupSensor sensor(tree.paths(), kHost, {});
  reading_or_fail(sensor.read(at_seconds(0)));
  tree.write("/sys/fs/cgroup/x/cpu.stat", "nr_periods 11\nnr_throttled 6\n");
  tree.write("/sys/fs/cgroup/x/y/cpu.stat", "nr_periods 11\nnr_throttled 1\n");
  EXPECT_EQ(condition_of(reading_or_fail(sensor.read(at_seconds(1))), "throttled").value, 0.6);
}

TEST(CgroupSensor, CountsMemoryHighAsALimitAndTellsOfEvents) {
  auto files = v2_host("/x");
  files["/sys/fs/cgroup/x/memory.max"] = std::to_string(2 * kGiB);
  files["/sys/fs/cgroup/x/memory.high"] = std::to_string(kGiB);
  files["/sys/fs/cgroup/x/memory.current"] = std::to_string(kGiB);
  files["/sys/fs/cgroup/x/memory.events"] = "low 0\nhigh 31\nmax 0\noom 1\noom_kill 1\n";
  const TemporaryTree tree(files);
  const Reading reading = reading_or_fail(read_tree(tree));
  EXPECT_GE(reading.pressure(), 1);
  EXPECT_EQ(reading.sentence,
            "working set 1.0 GiB of at most 972.8 MiB (95.0% of 1.0 GiB by memory.high), 1 OOM "
            "kill, 31 times held back at memory.high; never throttled");
}

TEST(CgroupSensor, AnUnreadableUsageUnderALimitIsAFailureAndNeverAllFree) {
  struct {
    const char* file;
    const char* content;
  } const rows[] = {
      {"memory.current", ""},     {"memory.current", "foo"},
      {"memory.max", ""},         {"memory.max", "foo"},
      {"memory.max", "-1"},       {"memory.high", "99999999999999999999"},
      {"memory.current", "12 3"}, {"memory.current", "max"},
  };
  for (const auto& row : rows) {
    auto files = v2_host("/x");
    files["/sys/fs/cgroup/x/memory.max"] = std::to_string(kGiB);
    files["/sys/fs/cgroup/x/" + std::string(row.file)] = row.content;
    const TemporaryTree tree(files);
    const auto result = read_tree(tree);
    ASSERT_FALSE(value_in(result)) << row.file << "=" << row.content;
    EXPECT_NE(failure_in(result).what.find(row.file), std::string::npos) << failure_in(result).what;
  }
}

TEST(CgroupSensor, WithoutInactiveFileAllThatIsChargedCounts) {
  auto files = v2_host("/x");
  files["/sys/fs/cgroup/x/memory.max"] = std::to_string(kGiB);
  files["/sys/fs/cgroup/x/memory.current"] = std::to_string(kGiB - 1);
  files["/sys/fs/cgroup/x/memory.stat"] = "\xff\xfe no such thing";
  const TemporaryTree tree(files);
  EXPECT_GE(reading_or_fail(read_tree(tree)).pressure(), 1);
}

TEST(CgroupSensor, FindsACgroupAgainThatVanishedAndCameBack) {
  auto files = v2_host("/x");
  files["/sys/fs/cgroup/x/memory.max"] = std::to_string(kGiB);
  const TemporaryTree tree(files);
  CgroupSensor sensor(tree.paths(), kHost, {});
  reading_or_fail(sensor.read(at_seconds(0)));
  tree.remove("/sys/fs/cgroup/x");
  // Open files of a real cgroup fail at once; those of this tree stay readable until the next
  // lookup.
  const auto gone = sensor.read(at_seconds(11));
  ASSERT_FALSE(value_in(gone));
  EXPECT_EQ(failure_in(gone).what, "/sys/fs/cgroup/x: No such file or directory");
  for (auto& [path, content] : open_v2_level("/sys/fs/cgroup/x")) tree.write(path, content);
  tree.write("/sys/fs/cgroup/x/memory.current", "12345");
  const auto back = sensor.read(at_seconds(11.5));
  ASSERT_TRUE(value_in(back)) << failure_in(back).what;
}

TEST(CgroupSensor, FollowsAProcessThatWasMoved) {
  auto files = v2_host("/x");
  files.merge(open_v2_level("/sys/fs/cgroup/y"));
  files["/sys/fs/cgroup/y/memory.max"] = "1000";
  files["/sys/fs/cgroup/y/memory.current"] = "990";
  const TemporaryTree tree(files);
  CgroupSensor sensor(tree.paths(), kHost, {});
  EXPECT_EQ(reading_or_fail(sensor.read(at_seconds(0))).pressure(), 0);
  tree.write("/proc/self/cgroup", "0::/y\n");
  EXPECT_GE(reading_or_fail(sensor.read(at_seconds(11))).pressure(), 1);
}

TEST(MemoryLimits, OfAnotherProcessAreThoseOfItsGroups) {
  std::map<std::string, std::string> files{
      {"/proc/self/cgroup", "0::/pod/box\n"},
      {"/proc/77/cgroup", "0::/pod\n"},
      {"/proc/self/mountinfo", "1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
      {"/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 8388608 kB\n"}};
  for (const std::string folder : {"", "/pod", "/pod/box"}) {
    files["/sys/fs/cgroup" + folder + "/memory.max"] = "max\n";
    files["/sys/fs/cgroup" + folder + "/memory.current"] = "500\n";
    files["/sys/fs/cgroup" + folder + "/memory.stat"] = "inactive_file 0\n";
  }
  files["/sys/fs/cgroup/memory.max"] = std::to_string(4 * kGiB);
  files["/sys/fs/cgroup/pod/box/memory.max"] = std::to_string(kGiB);
  files["/sys/fs/cgroup/pod/memory.max"] = std::to_string(64 * kGiB);  // More than the host has.
  const TemporaryTree tree(files);
  const GroupLimit top{"/sys/fs/cgroup", Bytes{4 * kGiB}, false};
  HostPaths own = tree.paths();
  EXPECT_EQ(memory_limits_of(77, own), std::vector{top});
  files["/proc/78/cgroup"] = "0::/pod/box\n";
  const TemporaryTree more(files);
  const GroupLimit box{"/sys/fs/cgroup/pod/box", Bytes{kGiB}, true};
  EXPECT_EQ(memory_limits_of(78, more.paths()), (std::vector{box, top}));
  EXPECT_EQ(memory_limits_of(79, more.paths()), std::nullopt) << "there is no such process";
  more.write("/proc/78/cgroup", "0::/\n");
  EXPECT_EQ(memory_limits_of(78, more.paths()), std::vector{top}) << "a container's own";
}

TEST(CgroupSensor, AnAncestorOfV1WithoutHierarchyDoesNotLimit) {
  const std::string base = "/sys/fs/cgroup/memory";
  std::map<std::string, std::string> files{
      {"/proc/self/cgroup", "3:memory:/outer/inner\n"},
      {"/proc/self/mountinfo", "1 0 0:1 / " + base + " rw - cgroup cgroup rw,memory\n"}};
  for (const std::string& folder : {base, base + "/outer", base + "/outer/inner"}) {
    files[folder + "/memory.limit_in_bytes"] = "9223372036854771712\n";
    files[folder + "/memory.usage_in_bytes"] = "500\n";
    files[folder + "/memory.stat"] = "total_inactive_file 0\n";
    files[folder + "/memory.use_hierarchy"] = "1\n";
  }
  files[base + "/outer/memory.limit_in_bytes"] = "500\n";
  {
    const TemporaryTree tree(files);
    EXPECT_GE(reading_or_fail(read_tree(tree)).pressure(), 1);
  }
  files[base + "/outer/memory.use_hierarchy"] = "0\n";
  const TemporaryTree tree(files);
  EXPECT_EQ(reading_or_fail(read_tree(tree)).pressure(), 0);
}

}  // namespace
}  // namespace sluice

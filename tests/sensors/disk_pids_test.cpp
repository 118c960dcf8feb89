#include <gtest/gtest.h>
#include <sys/statvfs.h>

#include "host_trees.h"
#include "sensors/disk.h"
#include "sensors/pids.h"

namespace sluice {
namespace {

TEST(DiskReading, NamesConditionsByPathAndTellsOfTheWorst) {
  const Reading reading = disk_reading(
      {{"/", 4096, 1000, 900, 100, 90, 0.05}, {"/tmp", 4096, 1000, 40, 100, 50, 0.05}});
  ASSERT_EQ(reading.conditions.size(), 4u);
  EXPECT_EQ(reading.conditions[reading.worst].name, "/tmp");
  EXPECT_NEAR(condition_of(reading, "/").pressure, 0.05 / 0.9, 1e-12);
  EXPECT_NEAR(condition_of(reading, "/tmp").pressure, 1.25, 1e-12);
  EXPECT_NEAR(condition_of(reading, "/ inodes").pressure, 0.05 / 0.9, 1e-12);
  EXPECT_EQ(reading.sentence, "/tmp: 160.0 KiB of 3.9 MiB available (4.0%), at least 5.0%");
  EXPECT_EQ(reading.source, "/, /tmp");
}

TEST(DiskReading, WhatIsNotCountedDoesNotLimit) {
  const Reading no_inodes = disk_reading({{"/btrfs", 4096, 100, 50, 0, 0, 0.05}});
  EXPECT_EQ(no_inodes.conditions.size(), 1u);
  EXPECT_NEAR(no_inodes.pressure(), 0.1, 1e-12);
  const Reading nothing = disk_reading({{"/proc", 4096, 0, 0, 0, 0, 0.05}});
  EXPECT_TRUE(nothing.conditions.empty());
  EXPECT_EQ(nothing.pressure(), 0);
  EXPECT_EQ(nothing.sentence, "unlimited: no filesystem here counts space or inodes");
}

TEST(DiskReading, LessThanNothingReadsAHundred) {
  EXPECT_EQ(disk_reading({{"/", 4096, 100, static_cast<std::uint64_t>(-5), 0, 0, 0.05}}).pressure(),
            100);
  EXPECT_EQ(disk_reading({{"/", 4096, 100, 0, 0, 0, 0.05}}).pressure(), 100);
}

TEST(DiskReading, HugeFilesystemsDoNotOverflow) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  const Reading reading = disk_reading({{"/", 1 << 20, kHuge, kHuge / 2, kHuge, kHuge, 0.05}});
  EXPECT_NEAR(reading.pressure(), 0.1, 1e-12);
}

TEST(DiskSensor, CountsOneFilesystemOnceAndFailsForAPathThatIsNotThere) {
  const TemporaryTree tree{{"/a/x", ""}, {"/b/x", ""}};
  DiskSensor both({{tree.at("/a"), 0.05}, {tree.at("/b"), 0.05}});
  const Reading reading = reading_or_fail(both.read(at_seconds(0)));
  EXPECT_EQ(reading.source, tree.at("/a"));
  DiskSensor missing({{tree.at("/a"), 0.05}, {tree.at("/none"), 0.05}});
  const auto failed = missing.read(at_seconds(0));
  ASSERT_FALSE(value_in(failed));
  EXPECT_EQ(failure_in(failed).what, "statvfs " + tree.at("/none") + ": No such file or directory");
}

TEST(DiskReading, EachFileSystemHasItsOwnLimit) {
  const Reading reading =
      disk_reading({{"/", 4096, 1000, 180, 0, 0, 0.2}, {"/var", 4096, 1000, 160, 0, 0, 0.15}});
  EXPECT_NEAR(condition_of(reading, "/").pressure, 0.2 / 0.18, 1e-12);
  EXPECT_NEAR(condition_of(reading, "/var").pressure, 0.15 / 0.16, 1e-12);
  EXPECT_EQ(reading.sentence, "/: 720.0 KiB of 3.9 MiB available (18.0%), at least 20.0%");
}

TEST(DiskSensor, OfFoldersOnOneFileSystemTheOneThatMustHaveMostLeftCounts) {
  const TemporaryTree tree{{"/a/x", ""}, {"/b/x", ""}};
  DiskSensor both({{tree.at("/a"), 0.1}, {tree.at("/b"), 0.3}});
  const Reading reading = reading_or_fail(both.read(at_seconds(0)));
  EXPECT_EQ(reading.source, tree.at("/b"));
  EXPECT_NE(reading.sentence.find("at least 30.0%"), std::string::npos) << reading.sentence;
}

TEST(DiskSensor, LeavesRootsReserveToRoot) {
  struct statvfs space {};
  ASSERT_EQ(::statvfs("/", &space), 0);
  const auto block = static_cast<double>(space.f_frsize);
  const double reserve = block * static_cast<double>(space.f_bfree - space.f_bavail);
  if (reserve < 1.0 * kGiB) GTEST_SKIP() << "nothing is reserved for root on / here";
  DiskSensor sensor({{"/", 0.05}});
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  // Others write to the disk meanwhile, but less than half the reserve.
  EXPECT_NEAR(condition_of(reading, "/").value, block * static_cast<double>(space.f_bavail),
              reserve / 2);
}

TEST(DiskSensor, ProcHasNoBlocksToRunOutOf) {
  DiskSensor sensor({{"/proc", 0.05}});
  EXPECT_EQ(reading_or_fail(sensor.read(at_seconds(0))).pressure(), 0);
}

constexpr std::uint64_t kPidMax = 4194304;

TEST(PidsReading, JudgesEveryLevelByItselfAndTheHost) {
  const PidsLevel host{"the host", 412, kPidMax};
  const Reading reading = pids_reading({{"/a", 10, 400}, {"/b", 500, 1000}}, host, {});
  EXPECT_NEAR(condition_of(reading, "cgroup").pressure, 0.1, 1e-12);
  EXPECT_EQ(reading.source, "/b");
  EXPECT_EQ(reading.sentence, "500 tasks of at most 1000 in /b, room for 500, more than 50 needed");
  const Reading full_host = pids_reading({{"/a", 10, 400}}, {"the host", 990, 1000}, {});
  EXPECT_EQ(full_host.source, "the host");
  EXPECT_GE(full_host.pressure(), 1);
}

TEST(PidsReading, ReachingTheHeadroomIsRedAndNothingLeftReadsAHundred) {
  const PidsLevel host{"the host", 412, kPidMax};
  EXPECT_EQ(pids_reading({{"/a", 140, 150}}, host, {}).pressure(), 1);
  EXPECT_LT(pids_reading({{"/a", 139, 150}}, host, {}).pressure(), 1);
  EXPECT_EQ(pids_reading({{"/a", 150, 150}}, host, {}).pressure(), 100);
  EXPECT_EQ(pids_reading({{"/a", 151, 150}}, host, {}).pressure(), 100);
  EXPECT_EQ(pids_reading({{"/a", 0, 0}}, host, {}).pressure(), 100);
}

TEST(PidsReading, TakesItsOwnLimits) {
  const PidsLevel host{"the host", 0, kPidMax};
  const PidsLimits limits{0.5, 0};
  EXPECT_EQ(pids_reading({{"/a", 50, 100}}, host, limits).pressure(), 1);
  EXPECT_LT(pids_reading({{"/a", 49, 100}}, host, limits).pressure(), 1);
}

TEST(PidsSensor, ReadsTheWholePathAndTheHost) {
  struct {
    const char* kind;
    const char* source;
    double free;
  } const rows[] = {
      {"service", "/sys/fs/cgroup/system.slice/executor.service", 50},
      {"pod_v1", "/sys/fs/cgroup/pids", 124},
      {"nested", "/sys/fs/cgroup/a", 500},
      {"v1", "/sys/fs/cgroup/pids/ci", 8384},
      {"hybrid", "the host", 63704 - 412},
      {"bare", "the host", 63704 - 412},
  };
  for (const auto& row : rows) {
    PidsSensor sensor(host_tree(row.kind), {});
    const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
    EXPECT_EQ(reading.source, row.source) << row.kind;
    EXPECT_EQ(reading.conditions[reading.worst].value, row.free) << row.kind;
  }
}

TEST(PidsSensor, AnUnreadableNumberIsAFailureAndNeverAllFree) {
  struct {
    const char* path;
    const char* content;
  } const rows[] = {
      {"/sys/fs/cgroup/x/pids.max", "foo"},
      {"/sys/fs/cgroup/x/pids.max", ""},
      {"/sys/fs/cgroup/x/pids.max", "-1"},
      {"/sys/fs/cgroup/x/pids.current", "foo"},
      {"/sys/fs/cgroup/x/pids.current", "max"},
      {"/proc/sys/kernel/pid_max", "99999999999999999999"},
      {"/proc/sys/kernel/threads-max", "\xff"},
      {"/proc/loadavg", "0.1 0.1"},
  };
  for (const auto& row : rows) {
    auto files = v2_host("/x");
    files["/sys/fs/cgroup/x/pids.max"] = "100\n";
    files[row.path] = row.content;
    const TemporaryTree tree(files);
    PidsSensor sensor(tree.paths(), {});
    const auto result = sensor.read(at_seconds(0));
    ASSERT_FALSE(value_in(result)) << row.path << "=" << row.content;
    EXPECT_NE(failure_in(result).what.find(row.path), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice

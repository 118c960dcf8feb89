#include "sensors/use_meter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "host_trees.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;

constexpr const char* kStat =
    "cpu  100 20 30 400 50 6 7 8 0 0\n"
    "cpu0 60 20 10 200 30 3 3 4 0 0\n"
    "cpu2 40 0 20 200 20 3 4 4 0 0\n"
    "intr 12345 0 0\n"
    "procs_running 3\n"
    "procs_blocked 2\n";

ProcStat parsed(std::string_view text) {
  const auto stat = parse_proc_stat(text, milliseconds(10));
  EXPECT_TRUE(value_in(stat)) << failure_in(stat).what;
  return *value_in(stat);
}

TEST(ParseProcStat, TakesTheTimesApart) {
  const ProcStat stat = parsed(kStat);
  EXPECT_EQ(stat.all.busy, milliseconds(10 * (100 + 30 + 6 + 7)));
  EXPECT_EQ(stat.all.niced, milliseconds(200));
  EXPECT_EQ(stat.all.idle, milliseconds(4500));
  EXPECT_EQ(stat.all.stolen, milliseconds(80));
  EXPECT_EQ(stat.running, 3u);
  EXPECT_EQ(stat.blocked, 2u);
}

TEST(ParseProcStat, KnowsCpusByTheirNumber) {
  const ProcStat stat = parsed(kStat);
  ASSERT_EQ(stat.each.size(), 3u);
  EXPECT_TRUE(stat.each[0]);
  EXPECT_FALSE(stat.each[1]) << "offline";
  EXPECT_EQ(stat.each[2]->busy, milliseconds(10 * (40 + 20 + 3 + 4)));
}

TEST(ParseProcStat, RefusesWhatIsNotOne) {
  for (const char* text : {"", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  1 2 3 4 5 6 7 x\n",
                           "cpu  1 2 3 4 5 6 7 -8\n", "cpu  1 2 3 4 5 6 7 99999999999999999999\n",
                           "cpu  1 2 3 4 5 6 7 8\ncpux 1 2 3 4 5 6 7 8\n",
                           "cpu  1 2 3 4 5 6 7 8\ncpu99999999 1 2 3 4 5 6 7 8\n"}) {
    EXPECT_FALSE(value_in(parse_proc_stat(text, milliseconds(10)))) << text;
  }
}

TEST(ParseDiskstats, AddsSectorsReadAndWritten) {
  EXPECT_EQ(parse_diskstats(" 254 0 vda 10 0 800 5 20 0 1600 9 0 12 14 0 0 0 0\n"
                            " 254 1 vda1 10 0 8 5 20 0 16 9 0 12 14 0 0 0 0\n"),
            2424u);
  EXPECT_EQ(parse_diskstats("garbage\n"), 0u);
  EXPECT_EQ(parse_diskstats(""), 0u);
}

TemporaryTree::Files host_with(const char* stat) {
  auto files = v2_host("/x");
  files["/proc/stat"] = stat;
  files["/proc/self/status"] = "Cpus_allowed_list:\t0-2\n";
  files["/sys/devices/system/cpu/online"] = "0,2\n";
  return files;
}

UseCounters read(const TemporaryTree& tree) {
  return use_meter(tree.paths(), look_at_host(tree.paths()))(at_seconds(1));
}

double ticks(Duration duration) {
  return std::chrono::duration<double>(duration).count() *
         static_cast<double>(::sysconf(_SC_CLK_TCK));
}

TEST(UseMeter, NicedWorkOfOthersCountsAsFree) {
  const TemporaryTree tree(host_with(kStat));
  HostFacts host = look_at_host(tree.paths());
  host.is_niced = false;
  const UseCounters counters = use_meter(tree.paths(), host)(at_seconds(1));
  ASSERT_EQ(counters.levels.size(), 1u);
  EXPECT_NEAR(ticks(counters.levels[0].used), 143, 0.01);
  EXPECT_NEAR(ticks(counters.levels[0].available), 143 + 20 + 450, 0.01) << "without steal";
  EXPECT_NEAR(ticks(counters.yielding), 20, 0.01);
}

TEST(UseMeter, NicedWorkCountsAsUseForANicedSluice) {
  const TemporaryTree tree(host_with(kStat));
  HostFacts host = look_at_host(tree.paths());
  host.is_niced = true;
  const UseCounters counters = use_meter(tree.paths(), host)(at_seconds(1));
  ASSERT_EQ(counters.levels.size(), 1u);
  EXPECT_NEAR(ticks(counters.levels[0].used), 143 + 20, 0.01);
  EXPECT_NEAR(ticks(counters.yielding), 0, 0.01);
}

TEST(UseMeter, AnAffinityCountsOnlyItsCpus) {
  auto files = host_with(kStat);
  files["/proc/self/status"] = "Cpus_allowed_list:\t2\n";
  const TemporaryTree tree(files);
  const UseCounters counters = read(tree);
  ASSERT_EQ(counters.levels.size(), 1u);
  EXPECT_NEAR(ticks(counters.levels[0].used), 67, 0.01);
  EXPECT_EQ(counters.cpus, 1);
}

TEST(UseMeter, AQuotaIsALevelOfItsOwn) {
  auto files = host_with(kStat);
  files["/sys/fs/cgroup/x/cpu.max"] = "50000 100000\n";
  files["/sys/fs/cgroup/x/cpu.stat"] = "usage_usec 3000000\nuser_usec 1\nsystem_usec 2\n";
  const TemporaryTree tree(files);
  const auto meter = use_meter(tree.paths(), look_at_host(tree.paths()));
  const UseCounters before = meter(at_seconds(1));
  ASSERT_EQ(before.levels.size(), 2u);
  EXPECT_EQ(before.levels[1].where, "/sys/fs/cgroup/x");
  EXPECT_EQ(before.levels[1].used, std::chrono::seconds(3));
  EXPECT_EQ(before.cpus, 0.5);
  const UseCounters after = meter(at_seconds(3));
  EXPECT_EQ(after.levels[1].available - before.levels[1].available, std::chrono::seconds(1));
}

TEST(UseMeter, AQuotaThatChangesIsSeenWithinTenSecondsAndKeepsItsCounters) {
  auto files = host_with(kStat);
  files["/sys/fs/cgroup/x/cpu.max"] = "50000 100000\n";
  files["/sys/fs/cgroup/x/cpu.stat"] = "usage_usec 3000000\n";
  const TemporaryTree tree(files);
  const auto meter = use_meter(tree.paths(), look_at_host(tree.paths()));
  meter(at_seconds(0));
  tree.write("/sys/fs/cgroup/x/cpu.max", "100000 100000\n");
  const Duration before = meter(at_seconds(10)).levels[1].available;
  EXPECT_EQ(before, std::chrono::seconds(5));
  EXPECT_EQ(meter(at_seconds(11)).levels[1].available - before, std::chrono::seconds(1));
}

TEST(UseMeter, WithoutAStatFileThereIsNothingToCompare) {
  const TemporaryTree tree(v2_host("/x"));
  EXPECT_TRUE(read(tree).levels.empty());
}

TEST(UseMeter, SeesABusyThreadOfThisMachine) {
  const auto meter = use_meter({}, look_at_host({}));
  const UseCounters before = meter(Clock::now());
  ASSERT_FALSE(before.levels.empty());
  const auto end = Clock::now() + std::chrono::milliseconds(300);
  while (Clock::now() < end) {
  }
  const UseCounters after = meter(Clock::now());
  EXPECT_GE(after.levels[0].used - before.levels[0].used, milliseconds(20));
  EXPECT_GT(after.levels[0].available, before.levels[0].available);
}

}  // namespace
}  // namespace sluice

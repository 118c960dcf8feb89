#include "sensors/use_meter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

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

UseCounters::RunDelay delays(std::string_view text) {
  const auto delay = parse_host_schedstat(text);
  EXPECT_TRUE(value_in(delay)) << failure_in(delay).what;
  return value_in(delay) ? *value_in(delay) : UseCounters::RunDelay{};
}

TEST(ParseHostSchedstat, AddsTheTimesOfAllCpusWhateverTheDomains) {
  for (const char* version : {"15", "16", "17"}) {
    const auto delay = delays("version " + std::string(version) +
                              "\ntimestamp 4294892296\n"
                              "cpu0 1 0 3 4 5 6 7000 800 9\n"
                              "domain0 3 1 2 3 4 5 6 7 8 9 10 11 12\n"
                              "cpu1 0 0 0 0 0 0 70 8 9\n"
                              "domain0 MC 3 1 2 3 4 5\n");
    EXPECT_EQ(delay.ran, Duration(7070)) << version;
    EXPECT_EQ(delay.waited, Duration(808)) << version;
  }
}

TEST(ParseHostSchedstat, CountsWithTheStatisticsOfTheSchedulerSwitchedOff) {
  EXPECT_EQ(delays("version 15\ncpu0 0 0 0 0 0 0 500 60 7\n").waited, Duration(60));
}

TEST(ParseHostSchedstat, RefusesWhatIsNotOneOrCountsTicks) {
  for (const char* text :
       {"", "version 15\n", "cpu0 1 2 3 4 5 6 7 8 9\n", "version 14\ncpu0 1 2 3 4 5 6 7 8 9\n",
        "version 15\ncpu0 1 2 3 4 5 6 7\n", "version 15\ncpu0 1 2 3 4 5 6 7 -8 9\n",
        "version 15\ncpu0 1 2 3 4 5 6 7 x 9\n",
        "version 15\ncpu0 1 2 3 4 5 6 9223372036854775807 8 9\ncpu1 1 2 3 4 5 6 1 8 9\n"}) {
    EXPECT_FALSE(value_in(parse_host_schedstat(text))) << text;
  }
}

TemporaryTree::Files host_with(const char* stat) {
  auto files = v2_host("/x");
  files["/proc/stat"] = stat;
  files["/proc/self/status"] = "Cpus_allowed_list:\t0-2\n";
  files["/sys/devices/system/cpu/online"] = "0,2\n";
  return files;
}

UseCounters read(const TemporaryTree& tree) {
  return use_meter(tree.paths(), read_host_facts(tree.paths()))(at_seconds(1));
}

double ticks(Duration duration) {
  return std::chrono::duration<double>(duration).count() *
         static_cast<double>(::sysconf(_SC_CLK_TCK));
}

TEST(UseMeter, NicedWorkOfOthersCountsAsFree) {
  const TemporaryTree tree(host_with(kStat));
  HostFacts host = read_host_facts(tree.paths());
  host.is_niced = false;
  const UseCounters counters = use_meter(tree.paths(), host)(at_seconds(1));
  ASSERT_EQ(counters.levels.size(), 1u);
  EXPECT_NEAR(ticks(counters.levels[0].used), 143, 0.01);
  EXPECT_NEAR(ticks(counters.levels[0].available), 143 + 20 + 450, 0.01) << "without steal";
  EXPECT_NEAR(ticks(counters.yielding), 20, 0.01);
}

TEST(UseMeter, NicedWorkCountsAsUseForANicedSluice) {
  const TemporaryTree tree(host_with(kStat));
  HostFacts host = read_host_facts(tree.paths());
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

TEST(UseMeter, TheHostsRunDelayCountsOnlyWhereAllOfItsCpusAreOurs) {
  auto files = host_with(kStat);
  files["/proc/schedstat"] = "version 15\ncpu0 0 0 0 0 0 0 500 60 7\ncpu2 0 0 0 0 0 0 500 6 7\n";
  const TemporaryTree whole(files);
  ASSERT_TRUE(read(whole).run_delay);
  EXPECT_EQ(read(whole).run_delay->waited, Duration(66));
  files["/proc/self/status"] = "Cpus_allowed_list:\t2\n";
  const TemporaryTree part(files);
  EXPECT_FALSE(read(part).run_delay) << "a cpuset";
  EXPECT_FALSE(read(TemporaryTree(host_with(kStat))).run_delay) << "the kernel has none";
}

TEST(UseMeter, AQuotaIsALevelOfItsOwn) {
  auto files = host_with(kStat);
  files["/sys/fs/cgroup/x/cpu.max"] = "50000 100000\n";
  files["/sys/fs/cgroup/x/cpu.stat"] = "usage_usec 3000000\nuser_usec 1\nsystem_usec 2\n";
  const TemporaryTree tree(files);
  const auto meter = use_meter(tree.paths(), read_host_facts(tree.paths()));
  const UseCounters before = meter(at_seconds(1));
  ASSERT_EQ(before.levels.size(), 2u);
  EXPECT_EQ(before.levels[1].where, "/sys/fs/cgroup/x");
  EXPECT_EQ(before.levels[1].used, std::chrono::seconds(3));
  EXPECT_EQ(before.cpus, 0.5);
  const UseCounters after = meter(at_seconds(3));
  EXPECT_EQ(after.levels[1].available - before.levels[1].available, std::chrono::seconds(1));
}

/// A v1 host with this process in `path` of the hierarchies of cpu and cpuacct.
TemporaryTree::Files v1_host(const std::string& path) {
  auto files = v2_host(path);
  files["/proc/self/cgroup"] = "2:cpu:" + path + "\n1:cpuacct:" + path + "\n";
  files["/proc/self/mountinfo"] =
      "30 23 0:26 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
      "31 23 0:27 / /sys/fs/cgroup/cpuacct rw shared:9 - cgroup cgroup rw,cpuacct\n";
  return files;
}

/// Eight CPUs of a host, of which a container sees the whole /proc.
TemporaryTree::Files host_of_eight(TemporaryTree::Files files) {
  std::string stat = "cpu  800 0 0 7200 0 0 0 0 0 0\n";
  for (int cpu = 0; cpu < 8; ++cpu) {
    stat +=
        "cpu" + std::to_string(cpu) + (cpu < 2 ? " 400 0 0 500" : " 0 0 0 900") + " 0 0 0 0 0 0\n";
  }
  files["/proc/stat"] = stat + "procs_running 1\nprocs_blocked 0\n";
  files["/proc/self/status"] = "Cpus_allowed_list:\t0-7\n";
  files["/sys/devices/system/cpu/online"] = "0-7\n";
  return files;
}

/// The used part of the tightest level in the second in which the files become `then`, and the
/// CPUs.
struct Tightest {
  double busy = 0, cpus = 0;
};

Tightest tightest_of_next_second(const TemporaryTree& tree, const TemporaryTree::Files& then) {
  const auto meter = use_meter(tree.paths(), read_host_facts(tree.paths()));
  const UseCounters before = meter(at_seconds(1));
  for (const auto& [path, text] : then) tree.write(path, text);
  const UseCounters after = meter(at_seconds(2));
  Tightest tightest{0, after.cpus};
  for (std::size_t i = 0; i < after.levels.size() && i < before.levels.size(); ++i) {
    const auto used = static_cast<double>((after.levels[i].used - before.levels[i].used).count());
    const Duration available = after.levels[i].available - before.levels[i].available;
    tightest.busy = std::max(tightest.busy, used / static_cast<double>(available.count()));
  }
  return tightest;
}

/// In the second that follows the whole host used one CPU of eight.
const std::string kSecondLater = [] {
  std::string stat = "cpu  900 0 0 7900 0 0 0 0 0 0\n";
  for (int cpu = 0; cpu < 8; ++cpu) {
    stat += "cpu" + std::to_string(cpu) +
            (cpu == 0   ? " 490 0 0 510"
             : cpu == 1 ? " 410 0 0 590"
                        : " 0 0 0 1000") +
            " 0 0 0 0 0 0\n";
  }
  return stat + "procs_running 1\nprocs_blocked 0\n";
}();

TEST(UseMeter, AQuotaBindsWhereProcIsTheHostsUnderVersionTwo) {
  auto files = host_of_eight(v2_host("/x"));
  files["/sys/fs/cgroup/x/cpu.max"] = "100000 100000\n";
  files["/sys/fs/cgroup/x/cpu.stat"] = "usage_usec 3000000\n";
  const TemporaryTree tree(files);
  const Tightest use = tightest_of_next_second(
      tree, {{"/proc/stat", kSecondLater}, {"/sys/fs/cgroup/x/cpu.stat", "usage_usec 3980000\n"}});
  EXPECT_NEAR(use.busy, 0.98, 0.001) << "the host is one eighth busy, the quota is used up";
  EXPECT_DOUBLE_EQ(use.cpus, 1);
}

TEST(UseMeter, AQuotaBindsWhereProcIsTheHostsUnderVersionOne) {
  auto files = host_of_eight(v1_host("/x"));
  files["/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us"] = "100000\n";
  files["/sys/fs/cgroup/cpu/x/cpu.cfs_period_us"] = "100000\n";
  files["/sys/fs/cgroup/cpuacct/x/cpuacct.usage"] = "3000000000\n";
  const TemporaryTree tree(files);
  const Tightest use = tightest_of_next_second(
      tree,
      {{"/proc/stat", kSecondLater}, {"/sys/fs/cgroup/cpuacct/x/cpuacct.usage", "3980000000\n"}});
  EXPECT_NEAR(use.busy, 0.98, 0.001);
  EXPECT_DOUBLE_EQ(use.cpus, 1);
}

TEST(UseMeter, ACpusetBindsWhereProcIsTheHosts) {
  for (auto& base : {v1_host("/x"), v2_host("/x")}) {
    auto files = host_of_eight(base);
    files["/proc/self/status"] = "Cpus_allowed_list:\t0\n";
    const TemporaryTree tree(files);
    const Tightest use = tightest_of_next_second(tree, {{"/proc/stat", kSecondLater}});
    EXPECT_NEAR(use.busy, 0.9, 0.001) << "of CPU 0 alone";
    EXPECT_DOUBLE_EQ(use.cpus, 1);
  }
}

TEST(UseMeter, WithoutPressureFilesAndWithoutCgroupsTheCpusAreMeasured) {
  auto files = host_of_eight({});
  const TemporaryTree tree(files);
  const Tightest use = tightest_of_next_second(tree, {{"/proc/stat", kSecondLater}});
  EXPECT_NEAR(use.busy, 0.125, 0.001);
  EXPECT_DOUBLE_EQ(use.cpus, 8);
}

TEST(UseMeter, AQuotaThatChangesIsSeenWithinTenSecondsAndKeepsItsCounters) {
  auto files = host_with(kStat);
  files["/sys/fs/cgroup/x/cpu.max"] = "50000 100000\n";
  files["/sys/fs/cgroup/x/cpu.stat"] = "usage_usec 3000000\n";
  const TemporaryTree tree(files);
  const auto meter = use_meter(tree.paths(), read_host_facts(tree.paths()));
  meter(at_seconds(0));
  tree.write("/sys/fs/cgroup/x/cpu.max", "100000 100000\n");
  const Duration before = meter(at_seconds(10)).levels[1].available;
  EXPECT_EQ(before, std::chrono::seconds(5));
  EXPECT_EQ(meter(at_seconds(11)).levels[1].available - before, std::chrono::seconds(1));
}

TEST(UseMeter, CountersOfOtherCpusThanBeforeAreNotCompared) {
  auto files = host_with(kStat);
  files["/proc/self/status"] = "Cpus_allowed_list:\t2\n";
  const TemporaryTree tree(files);
  const auto meter = use_meter(tree.paths(), read_host_facts(tree.paths()));
  const auto level_at = [&](double second) { return meter(at_seconds(second)).levels.at(0).where; };
  std::string before = level_at(0);
  double now = 0;
  for (const char* widened : {"0,2", "0-2", "2"}) {
    EXPECT_EQ(level_at(now + 9), before) << "read every ten seconds";
    tree.write("/proc/self/status", "Cpus_allowed_list:\t" + std::string(widened) + "\n");
    now += 10;
    const std::string after = level_at(now);
    EXPECT_NE(after, before) << widened;
    before = after;
  }
}

TEST(UseMeter, WithoutAStatFileThereIsNothingToCompare) {
  const TemporaryTree tree(v2_host("/x"));
  EXPECT_TRUE(read(tree).levels.empty());
}

TEST(UseMeter, SeesABusyThreadOfThisMachine) {
  const auto meter = use_meter({}, read_host_facts({}));
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

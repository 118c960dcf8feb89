// The cgroup that a sidecar judges, held open as its owner gave it.
#include "sensors/executor.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor_folders.h"
#include "host_trees.h"
#include "real_cgroup.h"
#include "sensors/build_sensors.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"
#include "sensors/psi.h"

namespace sluice::executor_test {
namespace {

/// A v2 group of an executor with a limit of 512 MiB, of which 300 MiB are in use, and 1.5 CPUs.
TemporaryTree::Files v2_group() {
  auto files = open_v2_level("/group");
  files["/group/cgroup.procs"] = "";
  files["/group/memory.max"] = std::to_string(512 * kMiB) + "\n";
  files["/group/memory.current"] = std::to_string(300 * kMiB) + "\n";
  files["/group/memory.stat"] = "inactive_file 0\n";
  files["/group/cpu.max"] = "150000 100000\n";
  files["/group/pids.max"] = "100\n";
  files["/group/pids.current"] = "12\n";
  return files;
}

TemporaryTree::Files v1_groups() {
  return {{"/memory/cgroup.procs", ""},
          {"/memory/memory.limit_in_bytes", std::to_string(512 * kMiB)},
          {"/memory/memory.usage_in_bytes", std::to_string(300 * kMiB)},
          {"/memory/memory.stat", "total_inactive_file 0\n"},
          {"/memory/memory.oom_control", "oom_kill 0\n"},
          {"/cpu/cgroup.procs", ""},
          {"/cpu/cpu.cfs_quota_us", "150000"},
          {"/cpu/cpu.cfs_period_us", "100000"},
          {"/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\n"}};
}

void expect_the_executors_limits(const HostPaths& paths) {
  ExecutorSensor sensor(paths, Bytes{64 * kGiB}, {});
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  const Condition memory = condition_of(reading, "memory");
  EXPECT_EQ(memory.value, 300.0 * kMiB);
  EXPECT_EQ(memory.total, 512.0 * kMiB);
  EXPECT_EQ(reading.source.substr(0, 12), "attach:/sys/") << reading.source;
  const HostFacts facts = read_host_facts(paths);
  EXPECT_EQ(facts.cpu_quota, 1.5);
  bool found = false;
  for (const MemoryLimit& limit : memory_meter(paths, facts)(at_seconds(0))) {
    found = found || (limit.limit == Bytes{512 * kMiB} && limit.used == Bytes{300 * kMiB});
  }
  EXPECT_TRUE(found) << "memory is reserved within the executor's limit";
}

TEST(Executor, IsReadThroughItsDirectoryOfV2) {
  const TemporaryTree tree(v2_group());
  expect_the_executors_limits(paths_to(
      executor_group(GroupSource::attach, {held(tree.at("/group"), "", "/sys/fs/cgroup")})));
}

TEST(Executor, IsReadThroughOneDirectoryForEachHierarchyOfV1) {
  const TemporaryTree tree(v1_groups());
  expect_the_executors_limits(paths_to(executor_group(
      GroupSource::attach, {held(tree.at("/memory"), "memory", "/sys/fs/cgroup/memory"),
                            held(tree.at("/cpu"), "cpu,cpuacct", "/sys/fs/cgroup/cpu")})));
}

TEST(Executor, OfAHybridHostHasEachControllerWhereItIs) {
  auto files = v1_groups();
  files["/unified/cgroup.procs"] = "";
  files["/unified/memory.max"] = "1\n";
  files["/unified/memory.current"] = "1\n";
  files["/unified/memory.pressure"] =
      "some avg10=3.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
      "total=0\n";
  const TemporaryTree tree(files);
  const HostPaths paths = paths_to(executor_group(
      GroupSource::attach, {held(tree.at("/unified"), "", "/sys/fs/cgroup/unified"),
                            held(tree.at("/memory"), "memory", "/sys/fs/cgroup/memory"),
                            held(tree.at("/cpu"), "cpu", "/sys/fs/cgroup/cpu")}));
  expect_the_executors_limits(paths);
  NearestPsi psi(paths, PsiKind::memory);
  const auto sample = psi.read(at_seconds(0));
  ASSERT_TRUE(value_in(sample)) << failure_in(sample).what;
  EXPECT_EQ(value_in(sample)->source, "attach:/sys/fs/cgroup/unified/memory.pressure");
  EXPECT_EQ(value_in(sample)->psi.some.avg10, 3);
}

TEST(Executor, WithoutALimitIsSaidToBeUnlimited) {
  auto files = v2_group();
  files["/group/memory.max"] = "max\n";
  files["/group/cpu.max"] = "max 100000\n";
  const TemporaryTree tree(files);
  const HostPaths paths = paths_to(
      executor_group(GroupSource::attach, {held(tree.at("/group"), "", "/sys/fs/cgroup")}));
  ExecutorSensor sensor(paths, Bytes{64 * kGiB}, {});
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_NE(reading.sentence.find("memory unlimited"), std::string::npos) << reading.sentence;
  EXPECT_FALSE(condition_of(reading, "memory").limit);
  EXPECT_EQ(read_host_facts(paths).cpu_quota, std::nullopt);
}

TEST(Executor, ThatIsNotKnownYetCannotBeRead) {
  ExecutorGroup nobody;
  nobody.problem = "nobody came";
  const HostPaths paths = paths_to(nobody);
  ExecutorSensor sensor(paths, std::nullopt, {});
  const auto reading = sensor.read(at_seconds(0));
  ASSERT_FALSE(value_in(reading));
  EXPECT_EQ(failure_in(reading).what, "nobody came");
  EXPECT_EQ(read_host_facts(paths).cpu_quota, std::nullopt)
      << "nothing of this process's own group counts";
}

TEST(Executor, ThatCannotBeReadIsRedUnlessSomebodySaysOtherwise) {
  const HostPaths paths = paths_to({});
  const auto policy_with = [&](const SensorOptions& options) {
    for (const Sensor& sensor :
         build_sensors(options, read_host_facts(paths), paths, std::nullopt)) {
      if (sensor.name == "cgroup") return sensor.policy.on_error;
    }
    return OnError::ignore;
  };
  EXPECT_EQ(policy_with({}), OnError::red);
  SensorOptions held_on;
  held_on.cgroup.on_error = OnError::hold;
  EXPECT_EQ(policy_with(held_on), OnError::hold);
}

TEST(Executor, OfWhichOnlyTheLimitsAreKnownIsJudgedByThePodsProcesses) {
  ExecutorGroup group;
  group.source = GroupSource::downward;
  group.memory_limit = Bytes{1000 * kMiB};
  group.cpus = 2.5;
  const Reading full = limits_reading(group, Bytes{960 * kMiB}, {});
  EXPECT_GE(full.pressure(), 1) << full.sentence;
  EXPECT_EQ(full.source, "downward");
  EXPECT_LT(limits_reading(group, Bytes{100 * kMiB}, {}).pressure(), 0.2);
  const Reading blind = limits_reading(group, std::nullopt, {});
  EXPECT_EQ(blind.pressure(), 0);
  EXPECT_NE(blind.sentence.find("usage not visible here"), std::string::npos) << blind.sentence;
  EXPECT_EQ(read_host_facts(paths_to(group)).cpu_quota, 2.5);
  group.memory_limit.reset();
  EXPECT_EQ(limits_reading(group, std::nullopt, {}).sentence.substr(0, 16), "memory unlimited");
}

TEST(Executor, ThatIsNoCgroupIsNamedForWhatItIs) {
  const TemporaryTree tree({{"/folder/file", "x"}});
  struct {
    GroupFolder folder;
    const char* says;
  } const rows[] = {
      {held(tree.at("/folder/file"), "memory", "f"), "is a file, not a directory of a cgroup"},
      {held("/proc", "memory", "p"), "is on proc, not a cgroup"},
      {held("/sys/kernel", "", "s"), "is on sysfs, not a cgroup"},
      {held("/dev/null", "", "d"), "is a device, not a directory of a cgroup"},
  };
  for (const auto& row : rows) EXPECT_EQ(wrong_with(row.folder), row.says);
}

class OwnGroup : public ::testing::Test {
 protected:
  void SetUp() override {
    auto own = open_own_group();
    if (!value_in(own)) GTEST_SKIP() << failure_in(own).what;
    folders = *value_in(own);
  }
  std::vector<GroupFolder> folders;
};

TEST_F(OwnGroup, IsRightAndReadsAsThisProcessDoes) {
  for (const GroupFolder& folder : folders) EXPECT_EQ(wrong_with(folder), std::nullopt);
  const HostPaths given = paths_to(executor_group(GroupSource::attach, folders));
  EXPECT_EQ(read_host_facts(given).cpu_quota, read_host_facts({}).cpu_quota);
  const auto total = read_host_facts({}).memory_total;
  ExecutorSensor theirs(given, total, {});
  CgroupSensor ours({}, total, {});
  const auto there = theirs.read(at_seconds(0));
  const auto here = ours.read(at_seconds(0));
  ASSERT_TRUE(value_in(there)) << failure_in(there).what;
  const std::vector<Condition>& seen = value_in(there)->conditions;
  const std::vector<Condition>& own = value_in(here)->conditions;
  ASSERT_EQ(seen.size(), own.size());
  for (std::size_t at = 0; at < own.size(); ++at) EXPECT_EQ(seen[at].total, own[at].total);
}

TEST_F(OwnGroup, WithTheWrongControllersIsRefused) {
  for (GroupFolder folder : folders) {
    const bool is_v2 = folder.controllers.empty();
    folder.controllers = is_v2 ? "memory" : "";
    EXPECT_EQ(wrong_with(folder), is_v2 ? "is a cgroup of v2, which is sent without controllers"
                                        : "is a cgroup of v1, but without controller names");
    if (is_v2) continue;
    if (folder.controllers != "pids" && !folder.held->has("release_agent")) {
      folder.controllers = "pids";
      EXPECT_EQ(wrong_with(folder),
                "has no pids.current: it does not belong to the controller pids");
    }
    folder.controllers = "hugetlb";
    EXPECT_EQ(wrong_with(folder), "names an unused controller: 'hugetlb'");
  }
}

TEST(RealExecutor, SaysThatItsContainerHasEndedWhenItsGroupIsRemoved) {
  auto group = std::make_unique<RealCgroup>("memory");
  if (!group->problem().empty()) GTEST_SKIP() << group->problem();
  ASSERT_TRUE(group->write("memory.limit_in_bytes", std::to_string(64 * kMiB)));
  const std::string folder = group->folder();
  const auto attached = [&] {
    return paths_to(executor_group(GroupSource::attach, {held(folder, "memory", "/of/executor")}));
  };
  const HostPaths paths = attached();
  ExecutorSensor sensor(paths, std::nullopt, {});
  EXPECT_EQ(*condition_of(reading_or_fail(sensor.read(at_seconds(0))), "memory").total,
            64.0 * kMiB);
  group.reset();
  for (const double second : {1.0, 2.0, 30.0}) {
    const auto gone = sensor.read(at_seconds(second));
    ASSERT_FALSE(value_in(gone));
    EXPECT_EQ(failure_in(gone).what,
              "the executor's cgroup /of/executor has been removed: its container has ended, and "
              "no new one is known yet");
  }
  EXPECT_NE(wrong_with(paths.executor->folders.front()), std::nullopt);
  const RealCgroup again("memory");
  ASSERT_EQ(again.folder(), folder);
  EXPECT_FALSE(value_in(sensor.read(at_seconds(31)))) << "one of the same name is another";
  ExecutorSensor next(attached(), std::nullopt, {});
  EXPECT_TRUE(value_in(next.read(at_seconds(32))));
}

}  // namespace
}  // namespace sluice::executor_test

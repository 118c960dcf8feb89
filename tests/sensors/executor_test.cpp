// The cgroup that a sidecar judges: held open, as given by its owner or as found.
#include "sensors/executor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>

#include "host_trees.h"
#include "real_cgroup.h"
#include "sensors/build_sensors.h"
#include "sensors/cgroup/find_executor.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"
#include "sensors/pids.h"
#include "sensors/psi.h"

namespace sluice {
namespace {

GroupFolder held(const std::string& path, const std::string& controllers,
                 const std::string& called) {
  const int descriptor = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  EXPECT_GE(descriptor, 0) << path;
  return {controllers, std::make_shared<HeldFolder>(descriptor, called)};
}

HostPaths paths_to(ExecutorGroup group) {
  return {"", std::make_shared<const ExecutorGroup>(std::move(group))};
}

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
  TightestPsi psi(paths, PsiKind::memory);
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

TEST(FindExecutor, ByTheNameOfItsProcess) {
  const auto own = open_own_group();
  if (!value_in(own)) GTEST_SKIP() << failure_in(own).what;
  const auto found = find_by_process("test_sensors");
  ASSERT_TRUE(value_in(found)) << failure_in(found).what;
  EXPECT_EQ(value_in(found)->source, GroupSource::procroot);
  EXPECT_EQ(value_in(found)->folders.size(), value_in(own)->size());
  const auto none = find_by_process("no-such-process");
  ASSERT_FALSE(value_in(none));
  EXPECT_EQ(failure_in(none).what.substr(0, 38), "no process called 'no-such-process' is");
}

/// A pod's groups as a container runtime creates them, in each v1 hierarchy that is read: one of
/// the sidecar, one of the executor.
class PodGroups {
 public:
  PodGroups() {
    const CgroupPlaces places = look_up_cgroups({});
    for (const CgroupFinding* each : {&places.memory, &places.cpu, &places.pids}) {
      if (!each->place || each->place->version != CgroupVersion::v1) {
        problem = "no v1 hierarchies here";
        return;
      }
      const std::string pod =
          folders_of(*each->place).front() + "/sluice-pod-" + std::to_string(::getpid());
      for (const std::string& folder : {pod, pod + "/own", pod + "/exec"}) {
        if (::mkdir(folder.c_str(), 0755) == 0) {
          folders.push_back(folder);
        } else {
          problem = "cannot create " + folder;
        }
      }
    }
  }
  ~PodGroups() {
    const TimePoint deadline = Clock::now() + std::chrono::seconds(10);
    while (!folders.empty() && Clock::now() < deadline) {
      if (::rmdir(folders.back().c_str()) == 0 || errno != EBUSY) folders.pop_back();
    }
  }
  /// Moves a process into all groups whose path ends in `end`.
  void move(pid_t process, const std::string& end) const {
    for (const std::string& folder : folders) {
      if (!folder.ends_with(end)) continue;
      std::ofstream(folder + "/cgroup.procs") << process;
    }
  }
  std::vector<std::string> folders;
  std::string problem;
};

TEST(FindExecutor, InTheHostsHierarchyBesideItself) {
  const PodGroups pod;
  if (!pod.problem.empty()) GTEST_SKIP() << pod.problem;
  ObedientChild executor([](char) {
    const std::size_t size = 8 * kMiB;
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    if (::mmap(nullptr, size, PROT_READ | PROT_WRITE, kind, -1, 0) == MAP_FAILED) ::_exit(1);
  });
  pod.move(executor.pid(), "/exec");
  int answers[2];
  ASSERT_EQ(::pipe(answers), 0);
  ObedientChild sidecar([&](char) {
    const auto found = find_in_hierarchy("/sys/fs/cgroup", "");
    std::string said = value_in(found) ? "" : failure_in(found).what + "\n";
    if (value_in(found)) {
      for (const GroupFolder& each : value_in(found)->folders) said += each.held->path() + "\n";
    }
    if (::write(answers[1], said.data(), said.size()) < 0) ::_exit(1);
  });
  pod.move(sidecar.pid(), "/own");
  const auto ask = [&] {
    EXPECT_TRUE(sidecar.order('f'));
    char said[4096];
    const ssize_t size = ::read(answers[0], said, sizeof said);
    return std::string(said, static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  };
  const std::string nobody = ask();
  EXPECT_NE(nobody.find("no other container of the pod in "), std::string::npos) << nobody;
  ASSERT_TRUE(executor.order('a'));
  std::string expected;
  for (const std::string& folder : pod.folders) {
    if (folder.ends_with("/exec")) expected += folder + "\n";
  }
  std::string found = ask();
  for (const std::string& folder : pod.folders) {
    if (!folder.ends_with("/exec")) continue;
    EXPECT_NE(found.find(folder + "\n"), std::string::npos) << found;
  }
  EXPECT_EQ(found.size(), expected.size()) << found;
  ::close(answers[0]);
  ::close(answers[1]);
}

/// Like kubelets: `podPidsLimit`, and limits of the pod that its containers share.
TEST(FindExecutor, InTheHostsHierarchyThePodsOwnLimitsBindAsWell) {
  const PodGroups pod;
  if (!pod.problem.empty()) GTEST_SKIP() << pod.problem;
  for (const std::string& folder : pod.folders) {
    if (folder.ends_with("/own") || folder.ends_with("/exec")) continue;
    std::ofstream(folder + "/pids.max") << 321;
    std::ofstream(folder + "/memory.limit_in_bytes") << 96 * kMiB;
    std::ofstream(folder + "/cpu.cfs_quota_us") << 150000;
  }
  std::vector<GroupFolder> folders;
  const CgroupPlaces places = look_up_cgroups({});
  const std::pair<const char*, const CgroupFinding*> hierarchies[] = {
      {"memory", &places.memory}, {"cpu", &places.cpu}, {"pids", &places.pids}};
  for (const auto& [controller, finding] : hierarchies) {
    const std::string exec =
        folders_of(*finding->place).front() + "/sluice-pod-" + std::to_string(::getpid()) + "/exec";
    folders.push_back(held(exec, controller, exec));
  }
  const HostPaths paths = paths_to(executor_group(GroupSource::hostpath, folders));
  PidsSensor pids(paths, {});
  EXPECT_EQ(condition_of(reading_or_fail(pids.read(at_seconds(0))), "cgroup").total, 321);
  ExecutorSensor cgroup(paths, Bytes{64 * kGiB}, {});
  EXPECT_EQ(condition_of(reading_or_fail(cgroup.read(at_seconds(0))), "memory").total, 96.0 * kMiB);
  EXPECT_EQ(read_host_facts(paths).cpu_quota, 1.5);
}

TEST(FindExecutor, WhoIsNamedAndWouldBeSeenIsWaitedFor) {
  const PodGroups pod;
  if (!pod.problem.empty()) GTEST_SKIP() << pod.problem;
  ObedientChild other([](char) {});
  pod.move(other.pid(), "/exec");
  const auto found = find_in_hierarchy("/sys/fs/cgroup", "never-there");
  ASSERT_FALSE(value_in(found));
  EXPECT_EQ(failure_in(found).what, "no process called 'never-there' is visible here yet");
}

TEST(FindExecutor, ByTheFilesOfTheDownwardApi) {
  struct {
    TemporaryTree::Files files;
    std::optional<Bytes> memory;
    std::optional<double> cpus;
    const char* failure;
  } const rows[] = {
      {{{"/memory_limit", "536870912"}, {"/cpu_limit", "2500"}}, Bytes{512 * kMiB}, 2.5, ""},
      {{{"/memory_limit", "536870912\n"}}, Bytes{512 * kMiB}, std::nullopt, ""},
      {{{"/memory_limit", "0"}, {"/cpu_limit", "1000"}}, std::nullopt, 1.0, ""},
      {{{"/cpu_limit", "lots"}}, std::nullopt, std::nullopt, "/cpu_limit: not a number: 'lots'"},
      {{{"/other", "1"}}, std::nullopt, std::nullopt, "no file memory_limit or cpu_limit in "},
  };
  for (const auto& row : rows) {
    const TemporaryTree tree(row.files);
    const auto found = read_podinfo(tree.at(""));
    const auto* group = value_in(found);
    ASSERT_EQ(group != nullptr, *row.failure == '\0');
    if (group) {
      EXPECT_EQ(group->memory_limit, row.memory);
      EXPECT_EQ(group->cpus, row.cpus);
    } else {
      EXPECT_NE(failure_in(found).what.find(row.failure), std::string::npos)
          << failure_in(found).what;
    }
  }
}

}  // namespace
}  // namespace sluice

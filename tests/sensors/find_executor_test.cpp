// How a sidecar finds the cgroup of its executor.
#include "sensors/cgroup/find_executor.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "executor_folders.h"
#include "host_trees.h"
#include "real_cgroup.h"
#include "sensors/host.h"
#include "sensors/pids.h"

namespace sluice::executor_test {
namespace {

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
    const CgroupPlaces places = find_cgroups({});
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
  const CgroupPlaces places = find_cgroups({});
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
}  // namespace sluice::executor_test

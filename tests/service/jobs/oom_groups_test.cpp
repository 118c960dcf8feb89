#include "service/jobs/oom_groups.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace sluice {
namespace {
using namespace std::chrono_literals;

constexpr pid_t kProcess = 42;
constexpr JobId kJob{1}, kOther{2};
constexpr TimePoint kStart{100s};

/// A v2 host with a process in /pod/box, and /pod killed as a group.
class OomGroupsTest : public ::testing::Test {
 protected:
  OomGroupsTest() {
    write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
    write("/proc/42/cgroup", "0::/pod/box\n");
    write("/sys/fs/cgroup/pod/memory.oom.group", "1\n");
    write("/sys/fs/cgroup/pod/box/memory.oom.group", "0\n");
    count("/pod", 3, 1000);
  }

  ~OomGroupsTest() override { std::filesystem::remove_all(root); }

  void write(const std::string& path, const std::string& text) const {
    const std::string place = root + path;
    std::filesystem::create_directories(std::filesystem::path(place).parent_path());
    std::ofstream(place) << text;
  }
  void count(const std::string& group, int kills, int peak) const {
    const std::string base = "/sys/fs/cgroup" + group;
    write(base + "/memory.events.local",
          "oom_kill 9\noom_group_kill " + std::to_string(kills) + "\n");
    write(base + "/memory.peak", std::to_string(peak) + "\n");
  }

  static std::string make_root() {
    std::string name = "/tmp/oom-groups.XXXXXX";
    return mkdtemp(name.data());
  }

  const std::string root = make_root();
  OomGroups groups{HostPaths{root, nullptr}};
};

TEST_F(OomGroupsTest, TellOfAKillOfTheGroupAndWhenItsPeakWas) {
  groups.begin(kJob, kProcess, kStart);
  EXPECT_FALSE(groups.kill_of(kJob, kStart + 1s)) << "three were before the job";
  count("/pod", 3, 2000);
  groups.sample(kStart + 2s);
  count("/pod", 4, 2000);
  groups.sample(kStart + 3s);
  const auto kill = groups.kill_of(kJob, kStart + 4s);
  ASSERT_TRUE(kill);
  EXPECT_EQ(kill->seen, kStart + 3s);
  EXPECT_EQ(kill->peak, kStart + 2s);
}

TEST_F(OomGroupsTest, AreReadAgainWhenTheyAreAsked) {
  groups.begin(kJob, kProcess, kStart);
  count("/pod", 4, 5000);
  const auto kill = groups.kill_of(kJob, kStart + 1s);
  ASSERT_TRUE(kill);
  EXPECT_EQ(kill->seen, kStart + 1s);
  EXPECT_EQ(kill->peak, kStart + 1s);
}

TEST_F(OomGroupsTest, AKillBeforeTheJobIsNotItsOwn) {
  groups.begin(kJob, kProcess, kStart);
  count("/pod", 4, 1000);
  groups.sample(kStart + 1s);
  groups.begin(kOther, kProcess, kStart + 2s);
  EXPECT_TRUE(groups.kill_of(kJob, kStart + 2s));
  EXPECT_FALSE(groups.kill_of(kOther, kStart + 2s));
}

TEST_F(OomGroupsTest, WhereOneProcessIsKilledThereIsNoKillOfTheGroup) {
  write("/sys/fs/cgroup/pod/memory.oom.group", "0\n");
  groups.begin(kJob, kProcess, kStart);
  count("/pod", 4, 5000);
  EXPECT_FALSE(groups.kill_of(kJob, kStart + 1s));
}

TEST_F(OomGroupsTest, AJobThatIsOverOrCannotBeSeenIsInNone) {
  groups.begin(kJob, kProcess, kStart);
  groups.forget_job(kJob);
  groups.begin(kOther, 43, kStart);
  count("/pod", 4, 5000);
  EXPECT_FALSE(groups.kill_of(kJob, kStart + 1s));
  EXPECT_FALSE(groups.kill_of(kOther, kStart + 1s));
}

}  // namespace
}  // namespace sluice

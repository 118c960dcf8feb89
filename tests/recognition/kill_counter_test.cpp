#include "recognition/kill_counter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "contents.h"
#include "fixture.h"

namespace sluice::testing {
namespace {

constexpr const char* kV2 = "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
constexpr const char* kV1 =
    "31 24 0:27 / /sys/fs/cgroup/memory rw shared:5 - cgroup cgroup rw,memory\n";

/// A host in a folder, with the process 7 in the group /build.
class KillsOfAHost : public ::testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder.path(path);
    std::filesystem::create_directories(file.parent_path());
    write_file(file, text);
  }
  void put_host_kills(int kills) const {
    put("proc/vmstat", "nr_free_pages 5\noom_kill " + std::to_string(kills) + "\n");
  }
  void put_group(const char* mounts, const char* lines) const {
    put("proc/self/mountinfo", mounts);
    put("proc/7/cgroup", lines);
  }

  TemporaryFolder folder;
  KillCounter counter{HostPaths{folder.path("")}};
  const TimePoint now = TimePoint{} + std::chrono::hours(1);
};

TEST_F(KillsOfAHost, OfAGroupAreThoseInIt) {
  put_group(kV2, "0::/build\n");
  put_host_kills(5);
  const char* const events = "sys/fs/cgroup/build/memory.events.local";
  put(events, "oom 1\noom_kill 1\noom_group_kill 0\n");
  const KillMark before = counter.mark(7, now);
  put_host_kills(9);
  EXPECT_EQ(counter.since(before), 0u) << "elsewhere";
  put(events, "oom 3\noom_kill 3\noom_group_kill 0\n");
  EXPECT_EQ(counter.since(before), 2u);
}

TEST_F(KillsOfAHost, OfAGroupOfVersion1AreThoseInIt) {
  put_group(kV1, "4:memory:/build\n0::/\n");
  put_host_kills(5);
  const char* const control = "sys/fs/cgroup/memory/build/memory.oom_control";
  put(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  const KillMark before = counter.mark(7, now);
  put_host_kills(9);
  EXPECT_EQ(counter.since(before), 0u) << "elsewhere";
  put(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  EXPECT_EQ(counter.since(before), 1u);
}

TEST_F(KillsOfAHost, AreThoseOfAllWhereAGroupCountsNone) {
  put_group(kV2, "0::/\n");
  put_host_kills(5);
  const KillMark before = counter.mark(7, now);
  put_host_kills(6);
  EXPECT_EQ(counter.since(before), 1u);
}

TEST_F(KillsOfAHost, AreNoneWhereNobodyCountsThem) {
  const KillMark before = counter.mark(7, now);
  EXPECT_EQ(counter.since(before), 0u);
  put_host_kills(6);
  EXPECT_EQ(counter.since(before), 0u) << "nobody knows how many there were before";
}

}  // namespace
}  // namespace sluice::testing

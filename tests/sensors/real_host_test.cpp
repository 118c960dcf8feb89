// The sensors on the machine that runs the tests: real cgroups, real pressure.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "host_trees.h"
#include "real_cgroup.h"
#include "sensors/cgroup.h"
#include "sensors/cpu_pressure.h"
#include "sensors/host.h"
#include "sensors/psi.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A tree whose /proc/self is that of another process and whose /sys is the real one, so the
/// sensors of this process read the other's cgroups.
class EyesOf {
 public:
  explicit EyesOf(pid_t pid) {
    const std::string proc = "/proc/" + std::to_string(pid);
    tree_.write("/proc/keep", "");
    link(proc, "/proc/self");
    link("/proc/pressure", "/proc/pressure");
    link("/sys", "/sys");
  }
  HostPaths paths() const { return tree_.paths(); }

 private:
  void link(const std::string& target, const std::string& path) {
    if (::symlink(target.c_str(), tree_.at(path).c_str()) != 0) {
      throw std::runtime_error("symlink " + path);
    }
  }
  TemporaryTree tree_;
};

std::string moved_into(const RealCgroup& group, pid_t pid) {
  const bool done = group.write("cgroup.procs", std::to_string(pid));
  return done ? "" : "may not move a process into " + group.folder();
}

/// The kernel fills the pages: sanitized code that writes them would cost several times as much.
void take_memory(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
}

TEST(RealCgroupMemory, AReadingMovesWhenAProcessInItAllocates) {
  RealCgroup group("memory");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  ASSERT_TRUE(group.write("memory.limit_in_bytes", std::to_string(64 * kMiB)));
  ObedientChild child([](char) { take_memory(40 * kMiB); });
  if (const std::string why = moved_into(group, child.pid()); !why.empty()) GTEST_SKIP() << why;
  const EyesOf eyes(child.pid());
  CgroupSensor sensor(eyes.paths(), read_host_facts({}).memory_total, {});

  const Reading before = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_EQ(*condition_of(before, "memory").total, 64.0 * kMiB);
  EXPECT_EQ(before.source.substr(0, group.folder().size()), group.folder());
  EXPECT_LT(before.pressure(), 0.3);
  ASSERT_TRUE(child.order('a'));
  const Reading after = reading_or_fail(sensor.read(at_seconds(1)));
  EXPECT_GE(condition_of(after, "memory").value, 40.0 * kMiB);
  EXPECT_GT(after.pressure(), 0.6);
  ASSERT_TRUE(group.write("memory.limit_in_bytes", std::to_string(41 * kMiB)));
  EXPECT_GE(reading_or_fail(sensor.read(at_seconds(2))).pressure(), 1) << after.sentence;
}

TEST(RealCgroupMemory, AGroupThatVanishesIsAFailure) {
  auto group = std::make_unique<RealCgroup>("memory");
  if (!group->problem().empty()) GTEST_SKIP() << group->problem();
  KeptFile usage(group->folder() + "/memory.usage_in_bytes");
  ASSERT_TRUE(value_in(usage.read()));
  const std::string folder = group->folder();
  group.reset();
  const auto gone = usage.read();
  ASSERT_FALSE(value_in(gone));
  EXPECT_EQ(failure_in(gone).what, folder + "/memory.usage_in_bytes: No such file or directory");
  const RealCgroup again("memory");
  ASSERT_EQ(again.folder(), folder);
  EXPECT_TRUE(value_in(usage.read())) << "a file that comes back is found again";
}

[[noreturn]] void burn() {
  volatile std::uint64_t n = 0;
  while (true) n = n + 1;
}

TEST(RealCgroupCpu, ThrottlingRisesUnderAQuota) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  ASSERT_TRUE(group.write("cpu.cfs_period_us", "20000"));
  ASSERT_TRUE(group.write("cpu.cfs_quota_us", "2000"));
  const Child child(burn);
  if (const std::string why = moved_into(group, child.pid()); !why.empty()) GTEST_SKIP() << why;
  const EyesOf eyes(child.pid());
  const auto quota = find_quota(eyes.paths(), find_cgroups(eyes.paths()));
  ASSERT_TRUE(value_in(quota)) << failure_in(quota).what;
  EXPECT_EQ(*value_in(quota), 0.1);

  CgroupThrottle throttle(eyes.paths());
  const TimePoint deadline = Clock::now() + seconds(20);
  std::optional<double> ratio;
  while ((!ratio || *ratio < 0.5) && Clock::now() < deadline) {
    const auto read = throttle.read(Clock::now());
    ASSERT_TRUE(value_in(read)) << failure_in(read).what;
    if (*value_in(read)) ratio = (*value_in(read))->ratio;
    ::usleep(20'000);
  }
  ASSERT_TRUE(ratio);
  EXPECT_GE(*ratio, 0.5);
}

TEST(RealPressure, CpuTotalRisesWhenMoreTasksAreBusyThanCpus) {
  CpuPressureSensor sensor(HostPaths{}, 0.05);
  if (const auto first = sensor.read(Clock::now()); !value_in(first)) {
    GTEST_SKIP() << failure_in(first).what;
  }
  const int count = 2 * read_host_facts({}).cpus_online + 2;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < count; ++i) children.push_back(std::make_unique<Child>(burn));
  const TimePoint deadline = Clock::now() + seconds(20);
  Reading reading;
  while (reading.pressure() < 1 && Clock::now() < deadline) {
    ::usleep(50'000);
    reading = reading_or_fail(sensor.read(Clock::now()));
  }
  EXPECT_GE(reading.pressure(), 1) << reading.sentence;
}

}  // namespace
}  // namespace sluice

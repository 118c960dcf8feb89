#include "process/child/cpu_delay.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace sluice {
namespace {

using std::chrono::seconds;

TEST(CpuDelay, ReadsWhatTheSchedulerSays) {
  const auto times = parse_schedstat("5000000000 2000000000 123\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->ran, seconds(5));
  EXPECT_EQ(times->waited, seconds(2));
  for (const char* text : {"", "5", "5 ", "a b c", "-1 2 3", "1 -2 3"}) {
    EXPECT_FALSE(parse_schedstat(text)) << text;
  }
}

TEST(CpuDelay, IsTheTimeWaitedForEachUnitOfTimeRun) {
  CpuDelay delay;
  EXPECT_EQ(delay.per_cpu_time(), 0);
  delay.update({{10, {seconds(1), seconds(1)}}, {11, {seconds(3), seconds(0)}}});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 0.25);
  delay.update({{10, {seconds(2), seconds(4)}}, {11, {seconds(3), seconds(0)}}});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 0.8);
}

TEST(CpuDelay, RemembersProcessesThatHaveEndedAndTellsThemFromLaterOnesOfTheirNumber) {
  CpuDelay delay;
  delay.update({{10, {seconds(4), seconds(4)}}});
  delay.update({});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 1);
  delay.update({{10, {seconds(4), seconds(0)}}});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 0.5);
  delay.update({{10, {seconds(1), seconds(5)}}});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 1);
}

TEST(CpuDelay, AddsUpNonsenseWithoutLeavingItsBounds) {
  CpuDelay delay;
  const auto most = parse_schedstat("9223372036854775807 9223372036854775807 1\n");
  ASSERT_TRUE(most);
  delay.update({{10, *most}, {11, *most}});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 1);
  delay.update({{10, {most->ran, seconds(1)}}, {11, *most}});
  EXPECT_DOUBLE_EQ(delay.per_cpu_time(), 1);
}

TEST(CpuDelay, LooksAtRealProcesses) {
  CpuDelay delay;
  delay.sample({getpid()});
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "no scheduler statistics here";
  EXPECT_GE(delay.per_cpu_time(), 0);
  const TimePoint end = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < end) continue;
  delay.sample({getpid()});
  EXPECT_LT(delay.per_cpu_time(), 1000);
}

TEST(CpuDelay, DoesNotReadAProcessAgainThatHasUsedNoTick) {
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "no scheduler statistics here";
  CpuDelay delay;
  ProcessFacts process;
  process.pid = getpid();
  process.state = 'S';
  // A process that has just begun has used nothing that the kernel has counted yet.
  do {
    process.cpu += std::chrono::nanoseconds(1);
    delay.follow({process});
  } while (delay.together().ran == Duration(0));
  const Duration ran = delay.together().ran;
  const TimePoint end = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < end) continue;
  delay.follow({process});
  EXPECT_EQ(delay.together().ran, ran) << "as far as its facts say, it has slept";
  process.cpu += std::chrono::milliseconds(10);
  delay.follow({process});
  EXPECT_GT(delay.together().ran, ran);
}

TEST(CpuDelay, ReadsARunnableProcessEachTimeForItMayWaitLong) {
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "no scheduler statistics here";
  CpuDelay delay;
  ProcessFacts process;
  process.pid = getpid();
  process.state = 'R';
  delay.follow({process});
  const Duration ran = delay.together().ran;
  const TimePoint end = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < end) continue;
  delay.follow({process});
  EXPECT_GT(delay.together().ran, ran);
}

}  // namespace
}  // namespace sluice

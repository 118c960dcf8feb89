#include "process/child/cpu_delay.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "base/seconds.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
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

TEST(CpuDelay, OfAJobThatWasSeenWholeIsWhatWasSeen) {
  CpuDelay delay;
  EXPECT_EQ(delay.of_job(seconds(4)), seconds(0));
  delay.update({{10, {seconds(1), seconds(1)}}, {11, {seconds(3), seconds(0)}}});
  EXPECT_EQ(delay.of_job(seconds(4)), seconds(1));
  delay.update({{10, {seconds(2), seconds(4)}}, {11, {seconds(3), seconds(0)}}});
  EXPECT_EQ(delay.of_job(seconds(5)), seconds(4));
}

TEST(CpuDelay, RemembersProcessesThatHaveEndedAndTellsThemFromLaterOnesOfTheirNumber) {
  CpuDelay delay;
  delay.update({{10, {seconds(4), seconds(4)}}});
  delay.update({});
  EXPECT_EQ(delay.of_job(seconds(4)), seconds(4));
  delay.update({{10, {seconds(4), seconds(0)}}});
  EXPECT_EQ(delay.of_job(seconds(8)), seconds(4));
  delay.update({{10, {seconds(1), seconds(5)}}});
  EXPECT_EQ(delay.of_job(seconds(9)), seconds(9));
}

TEST(CpuDelay, OfAPartIsInProportionButForTheFirstMoments) {
  CpuDelay delay;
  EXPECT_EQ(delay.of_part(seconds(1)), seconds(0));
  delay.update({{10, {milliseconds(20), milliseconds(20)}}});
  EXPECT_EQ(delay.of_part(seconds(1)), milliseconds(500));
  delay.update({{10, {seconds(20), seconds(20)}}});
  EXPECT_NEAR(to_seconds(delay.of_part(seconds(1))), 1, 0.001);
}

TEST(CpuDelay, WhatWasNotSeenWaitedAsMuchPerCpuTime) {
  CpuDelay delay;
  delay.update({{10, {seconds(2), seconds(1)}}});
  const double all = to_seconds(delay.of_job(seconds(10)));
  EXPECT_NEAR(all, 5, 0.05);
}

// A shell and its short programs, sampled once: the waits of the rest are not those of a fork.
TEST(CpuDelay, AGlimpseIsNotTakenForTheWhole) {
  CpuDelay delay;
  delay.update({{10, {milliseconds(2), milliseconds(3)}}});
  const double all = to_seconds(delay.of_job(milliseconds(90)));
  EXPECT_GT(all, 0.003);
  EXPECT_LT(all, 0.016);
}

TEST(CpuDelay, IsAtLeastWhatWasSeenAndAtMostInProportion) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    CpuDelay delay;
    const Duration ran(random() % 1'000'000'000), waited(random() % 1'000'000'000);
    delay.update({{10, {ran, waited}}});
    const Duration cpu(random() % 2'000'000'000);
    const Duration all = delay.of_job(cpu);
    EXPECT_GE(all, waited);
    EXPECT_LE(to_seconds(all) * to_seconds(ran),
              to_seconds(waited) * to_seconds(std::max(ran, cpu)) + 1e-6);
  }
}

TEST(CpuDelay, AddsUpNonsenseWithoutLeavingItsBounds) {
  CpuDelay delay;
  const auto most = parse_schedstat("9223372036854775807 9223372036854775807 1\n");
  ASSERT_TRUE(most);
  delay.update({{10, *most}, {11, *most}});
  EXPECT_EQ(delay.of_job(seconds(1)), Duration::max());
  delay.update({{10, {most->ran, seconds(1)}}, {11, *most}});
  EXPECT_EQ(delay.of_job(Duration::max()), Duration::max());
}

TEST(CpuDelay, LooksAtRealProcesses) {
  CpuDelay delay;
  delay.sample({getpid()});
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "no scheduler statistics here";
  EXPECT_GE(delay.of_job(seconds(1)), seconds(0));
  const TimePoint end = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < end) continue;
  delay.sample({getpid()});
  EXPECT_LT(delay.of_job(milliseconds(20)), seconds(20));
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

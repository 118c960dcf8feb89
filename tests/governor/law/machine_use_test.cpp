#include "governor/law/machine_use.h"

#include <gtest/gtest.h>

#include "base/seconds.h"
#include "window_script.h"

namespace sluice {
namespace {

Duration cpu_seconds(double seconds) { return from_seconds(seconds); }

/// Two CPUs that were busy for `used` seconds since the machine started.
UseCounters host(double seconds, double used) {
  UseCounters counters;
  counters.at = window_test::at(seconds);
  counters.cpus = 2;
  counters.levels = {{"host", cpu_seconds(used), cpu_seconds(2 * seconds)}};
  return counters;
}

TEST(UseBetween, CountsTheTimeBetweenTwoReadings) {
  const auto use = use_between(host(10, 7), host(10.5, 7.75));
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->busy, 0.75);
  EXPECT_DOUBLE_EQ(use->cores, 1.5);
  EXPECT_DOUBLE_EQ(use->cpus, 2);
}

TEST(UseBetween, IsAtMostAllOfTheTime) {
  const auto use = use_between(host(10, 7), host(11, 9.2));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->busy, 1);
  EXPECT_EQ(use->cores, 2);
}

TEST(UseBetween, StolenTimeIsTimeThatThereWasNot) {
  UseCounters before = host(10, 5), after = host(11, 6);
  before.levels[0].available = cpu_seconds(20);
  after.levels[0].available = cpu_seconds(21);  // Half of two CPUs was stolen.
  const auto use = use_between(before, after);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->busy, 1);
  EXPECT_EQ(use->cpus, 1);
}

TEST(UseBetween, GoesByTheLevelWithTheLeastLeft) {
  UseCounters before = host(10, 5), after = host(11, 5.6);
  after.cpus = 0.5;
  before.levels.push_back({"/quota", cpu_seconds(1), cpu_seconds(5)});
  after.levels.push_back({"/quota", cpu_seconds(1.5), cpu_seconds(5.5)});
  const auto use = use_between(before, after);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->busy, 1);
  EXPECT_DOUBLE_EQ(use->cores, 0.5);
  EXPECT_DOUBLE_EQ(use->cpus, 0.5);
}

TEST(UseBetween, AnIdleQuotaStillBoundsTheCpus) {
  UseCounters before = host(10, 5), after = host(11, 5);
  after.cpus = 0.5;
  before.levels.push_back({"/quota", cpu_seconds(1), cpu_seconds(5)});
  after.levels.push_back({"/quota", cpu_seconds(1), cpu_seconds(5.5)});
  const auto use = use_between(before, after);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->busy, 0);
  EXPECT_DOUBLE_EQ(use->cpus, 0.5);
}

TEST(UseBetween, WhatCannotBeComparedIsNotMeasured) {
  EXPECT_FALSE(use_between(host(10, 5), host(10, 6))) << "no time between";
  EXPECT_FALSE(use_between(host(10, 5), host(11, 4))) << "the counter went backwards";
  UseCounters still = host(11, 5);
  still.levels[0].available = host(10, 5).levels[0].available;
  EXPECT_FALSE(use_between(host(10, 5), still)) << "the counters stand still";
  UseCounters other = host(11, 6);
  other.levels[0].where = "/quota";
  EXPECT_FALSE(use_between(host(10, 5), other)) << "another level";
  UseCounters more = host(11, 6);
  more.levels.push_back({"/quota", Duration(0), cpu_seconds(1)});
  EXPECT_FALSE(use_between(host(10, 5), more)) << "a new level";
  EXPECT_FALSE(use_between(UseCounters{}, UseCounters{})) << "nothing";
}

TEST(UseBetween, StallsAreTimeInWhichSomeTaskWaited) {
  UseCounters before = host(10, 5), after = host(12, 5);
  before.cpu_stall = {"/proc/pressure/cpu", cpu_seconds(3)};
  after.cpu_stall = {"/proc/pressure/cpu", cpu_seconds(3.5)};
  before.io_stall = {"/proc/pressure/io", cpu_seconds(1)};
  after.io_stall = {"/proc/pressure/io", cpu_seconds(2)};
  const auto use = use_between(before, after);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->waiting, 0.25);
  EXPECT_DOUBLE_EQ(use->io_waiting, 0.5);
}

TEST(UseBetween, StallsOfWorkThatYieldsDoNotCount) {
  UseCounters before = host(10, 5), after = host(12, 9);
  before.cpu_stall = {"/proc/pressure/cpu", cpu_seconds(3)};
  after.cpu_stall = {"/proc/pressure/cpu", cpu_seconds(5)};
  EXPECT_EQ(use_between(before, after)->waiting, 1);
  after.yielding = cpu_seconds(0.1);
  EXPECT_EQ(use_between(before, after)->waiting, 0);
}

TEST(UseBetween, AStallOfAnotherFileIsNotCompared) {
  UseCounters before = host(10, 5), after = host(12, 5);
  before.cpu_stall = {"/proc/pressure/cpu", cpu_seconds(3)};
  after.cpu_stall = {"/sys/fs/cgroup/x/cpu.pressure", cpu_seconds(3.5)};
  EXPECT_EQ(use_between(before, after)->waiting, 0);
}

TEST(UseBetween, WithoutStallsBlockedTasksShowThatTheDiskIsSlow) {
  UseCounters after = host(12, 5);
  after.running = 1;
  after.blocked = 3;
  EXPECT_DOUBLE_EQ(use_between(host(10, 5), after)->io_waiting, 0.75);
  after.running = after.blocked = 0;
  EXPECT_EQ(use_between(host(10, 5), after)->io_waiting, 0);
}

TEST(UseBetween, CountsSectorsPerSecond) {
  UseCounters before = host(10, 5), after = host(12, 5);
  before.sectors = 100;
  after.sectors = 700;
  EXPECT_EQ(use_between(before, after)->sectors, 300);
  after.sectors = 50;  // A disk was removed.
  EXPECT_EQ(use_between(before, after)->sectors, 0);
}

UseCounters with_delay(double seconds, double used, double ran, double waited) {
  UseCounters counters = host(seconds, used);
  counters.run_delay = UseCounters::RunDelay{cpu_seconds(ran), cpu_seconds(waited)};
  counters.cpu_stall = UseCounters::Stall{"/proc/pressure/cpu", cpu_seconds(seconds / 2)};
  return counters;
}

TEST(UseBetween, TasksThatWaitAreCountedWhereTheKernelDoes) {
  const auto use = use_between(with_delay(10, 5, 5, 8), with_delay(11, 7, 7, 11));
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->waiting, 1.5) << "three tasks on two CPUs; PSI would say half of the time";
}

TEST(UseBetween, NobodyWaitsWhereTasksRanAndNoneWaited) {
  const auto use = use_between(with_delay(10, 5, 5, 8), with_delay(11, 7, 7, 8));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->waiting, 0);
}

TEST(UseBetween, ARunDelayThatStandsStillIsNoMeasurement) {
  const auto use = use_between(with_delay(10, 5, 5, 8), with_delay(11, 7, 5, 8));
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->waiting, 0.5) << "the stall of PSI";
}

TEST(UseBetween, UnderAQuotaTheHostsRunDelaySaysNothing) {
  UseCounters before = with_delay(10, 5, 5, 8), after = with_delay(11, 5.6, 6, 9);
  before.levels.push_back({"/quota", cpu_seconds(1), cpu_seconds(5)});
  after.levels.push_back({"/quota", cpu_seconds(1.5), cpu_seconds(5.5)});
  const auto use = use_between(before, after);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->waiting, 0.5) << "the stall of PSI";
}

TEST(CountOwnWork, TheNicedPartOfTheJobsIsUsed) {
  MachineUse use{.cpus = 2, .busy = 0.25, .cores = 0.5, .yielding = 1.5};
  count_own_work(use, 1.7);
  EXPECT_DOUBLE_EQ(use.cores, 1.7);
  EXPECT_DOUBLE_EQ(use.busy, 0.85);
  EXPECT_NEAR(use.yielding, 0.3, 1e-12) << "others'";
}

TEST(CountOwnWork, NicedWorkOfOthersStaysFree) {
  MachineUse use{.cpus = 2, .busy = 0.5, .cores = 1, .yielding = 1};
  count_own_work(use, 1);
  EXPECT_DOUBLE_EQ(use.cores, 1) << "the jobs explain what is not niced";
  EXPECT_DOUBLE_EQ(use.yielding, 1);
}

TEST(CountOwnWork, NoMoreThanWhatIsNicedIsCounted) {
  MachineUse use{.cpus = 2, .busy = 0.5, .cores = 1, .yielding = 0.5};
  count_own_work(use, 9);
  EXPECT_DOUBLE_EQ(use.cores, 1.5) << "a report may be late or lie";
  EXPECT_DOUBLE_EQ(use.busy, 0.75);
}

}  // namespace
}  // namespace sluice

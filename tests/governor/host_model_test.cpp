#include "host_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "zuul_governor.h"

namespace sluice::model {
namespace {

JobSpec job_of(double cores, double work_seconds, double peak_gib = 0.1) {
  JobSpec job;
  job.setup_seconds = 0;
  job.cores = cores;
  job.work_seconds = work_seconds;
  job.peak_gib = peak_gib;
  return job;
}

void pass(HostModel& host, int seconds) {
  for (int i = 0; i < seconds; ++i) host.advance();
}

TEST(HostModel, LoadFollowsTheKernelsOneMinuteDecay) {
  HostModel host({16, 64});
  for (int i = 0; i < 8; ++i) host.start(job_of(1, 1e6));
  for (const int seconds : {5, 30, 60, 180}) {
    HostModel fresh = host;
    pass(fresh, seconds);
    EXPECT_NEAR(fresh.view().load1, 8 * (1 - std::exp(-seconds / 60.0)), 0.05) << seconds;
  }
}

TEST(HostModel, LoadIsSampledEveryFiveSeconds) {
  HostModel host({16, 64});
  host.start(job_of(8, 1e6));
  pass(host, 4);
  EXPECT_EQ(host.view().load1, 0);
  pass(host, 1);
  const double first = host.view().load1;
  EXPECT_GT(first, 0);
  pass(host, 4);
  EXPECT_EQ(host.view().load1, first);
}

TEST(HostModel, LoadCountsTasksAndNotCores) {
  HostModel host({2, 64});
  for (int i = 0; i < 10; ++i) host.start(job_of(2, 1e6));
  pass(host, 900);
  EXPECT_NEAR(host.view().load1, 20, 0.1);
}

TEST(HostModel, JobTakesItsTimeOnAFreeMachine) {
  HostModel host({4, 64});
  JobSpec job = job_of(2, 100);
  job.setup_seconds = 30;
  host.start(job);
  EXPECT_EQ(host.view().starting, 1);
  pass(host, 30);
  EXPECT_EQ(host.view().starting, 0);
  EXPECT_EQ(host.view().running, 1);
  pass(host, 99);
  EXPECT_EQ(host.tally().finished, 0);
  pass(host, 1);
  EXPECT_EQ(host.tally().finished, 1);
  EXPECT_EQ(host.view().running, 0);
  EXPECT_NEAR(host.tally().useful_core_seconds, 30 * 0.5 + 100 * 2, 1e-9);
}

TEST(HostModel, OversubscriptionSharesTheCoresAndLosesALittle) {
  HostModel host({2, 64});
  for (int i = 0; i < 4; ++i) host.start(job_of(1, 100));
  pass(host, 204);
  EXPECT_EQ(host.tally().finished, 0);
  pass(host, 4);
  EXPECT_EQ(host.tally().finished, 4);
}

TEST(HostModel, MemoryClimbsLate) {
  HostModel host({2, 100});
  JobSpec job = job_of(1, 100, 40);
  job.climb_from = 0.7;
  host.start(job);
  pass(host, 70);
  EXPECT_NEAR(host.view().available, 0.96 - 0.12, 1e-6);
  pass(host, 10);
  EXPECT_NEAR(host.view().available, 0.96 - 0.26, 1e-6);
  pass(host, 15);
  EXPECT_NEAR(host.view().available, 0.96 - 0.40, 1e-6);
}

TEST(HostModel, KillsTheLargestJobWhenMemoryIsExhausted) {
  HostModel host({8, 100});
  JobSpec large = job_of(1, 400, 60);
  large.climb_from = 0;
  JobSpec small = job_of(1, 100, 45);
  small.climb_from = 0;
  host.start(large);
  host.start(small);
  pass(host, 100);
  EXPECT_EQ(host.tally().killed, 1);
  EXPECT_EQ(host.view().running, 1);
  EXPECT_NEAR(host.view().available, 0.96 - 0.45, 1e-6);
}

TEST(HostModel, StallsAndShowsItWhenMemoryNearlyRunsOut) {
  HostModel host({8, 100});
  JobSpec job = job_of(1, 100, 95.9);
  job.climb_from = 0;
  host.start(job);
  pass(host, 99);
  EXPECT_EQ(host.tally().finished, 0);
  EXPECT_GT(host.view().memory_some, 0.5);
  EXPECT_NEAR(host.view().memory_full, host.view().memory_some / 2, 1e-9);
  pass(host, 3600);
  EXPECT_EQ(host.tally().finished, 1);
  EXPECT_NEAR(host.view().memory_some, 0, 1e-6);
}

TEST(HostModel, CpuPressureNeedsATaskThatWaits) {
  HostModel host({4, 64});
  host.start(job_of(4, 1e6));
  pass(host, 60);
  EXPECT_EQ(host.view().cpu_some, 0);
  host.start(job_of(1, 1e6));
  pass(host, 10);
  EXPECT_NEAR(host.view().cpu_some, 1 - std::exp(-1), 1e-6);
}

TEST(JobStream, SameSeedGivesTheSameJobs) {
  JobStream one({16, 64}, 7);
  JobStream other({16, 64}, 7);
  JobStream third({16, 64}, 8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const JobSpec job = one.next();
    EXPECT_EQ(job.work_seconds, other.next().work_seconds);
    differs = differs || third.next().work_seconds != job.work_seconds;
  }
  EXPECT_TRUE(differs);
}

TEST(JobStream, NoJobIsTooLargeForItsMachine) {
  JobStream stream({2, 8}, 1);
  for (int i = 0; i < 10000; ++i) {
    const JobSpec job = stream.next();
    ASSERT_LE(job.cores, 2);
    ASSERT_LE(job.peak_gib, 3.6);
    ASSERT_GE(job.setup_seconds, 20);
    ASSERT_LE(job.setup_seconds, 60);
  }
}

TEST(JobStream, HasTheMediansItSays) {
  JobStream stream({16, 640}, 1);
  int lint = 0;
  int short_lint = 0;
  constexpr int kJobs = 30000;
  for (int i = 0; i < kJobs; ++i) {
    const JobSpec job = stream.next();
    if (job.cores != 1) continue;
    ++lint;
    short_lint += job.work_seconds < 90 ? 1 : 0;
  }
  EXPECT_NEAR(lint / double{kJobs}, 1.0 / 3, 0.01);
  EXPECT_NEAR(short_lint / double(lint), 0.5, 0.02);
}

HostView quiet(int running, int starting) {
  HostView view;
  view.running = running;
  view.starting = starting;
  return view;
}

// The number of builds Zuul takes at once on an idle host while none gets past its set-up.
TEST(ZuulGovernor, BurstFromIdle) {
  const int bursts[][2] = {{1, 3}, {2, 5},  {3, 8},   {4, 10},  {5, 6},  {6, 8},
                           {7, 9}, {8, 10}, {16, 20}, {32, 40}, {64, 80}};
  for (const auto& [cpus, expected] : bursts) {
    ZuulGovernor governor(cpus);
    int taken = 0;
    while (governor.accepting()) {
      ++taken;
      governor.manage_load(quiet(taken, taken));
    }
    EXPECT_EQ(taken, expected) << cpus << " CPUs";
  }
}

TEST(ZuulGovernor, FurtherStartsAtOnce) {
  const int starts[][2] = {{0, 10}, {5, 8}, {10, 5}, {12, 4}, {100, 4}};
  for (const auto& [started, expected] : starts) {
    ZuulGovernor governor(8);
    int taken = 0;
    while (governor.accepting()) {
      ++taken;
      governor.manage_load(quiet(started + taken, taken));
    }
    EXPECT_EQ(taken, expected) << started << " started";
  }
}

TEST(ZuulGovernor, TheLimitItselfIsGreenForLoadAndMemory) {
  const ZuulGovernor governor(2);
  HostView view;
  view.load1 = 5.0;
  view.available = 0.05;
  EXPECT_FALSE(governor.host_red(view));
  view.load1 = 5.01;
  EXPECT_TRUE(governor.host_red(view));
  view.load1 = 0;
  view.available = 0.0499;
  EXPECT_TRUE(governor.host_red(view));
}

TEST(ZuulGovernor, LooksEveryTenSeconds) {
  ZuulGovernor governor(2);
  HostView view;
  view.load1 = 6;
  for (int second = 0; second < 10; ++second) governor.tick(second, view);
  EXPECT_TRUE(governor.accepting());
  governor.tick(10, view);
  EXPECT_FALSE(governor.accepting());
  view.load1 = 4.9;
  governor.tick(19, view);
  EXPECT_FALSE(governor.accepting());
  governor.tick(20, view);
  EXPECT_TRUE(governor.accepting());
}

TEST(ZuulGovernor, GrabDelay) {
  EXPECT_DOUBLE_EQ(ZuulGovernor::grab_delay(10), 0.1);
  EXPECT_DOUBLE_EQ(ZuulGovernor::grab_delay(50), 2.5);
  EXPECT_DOUBLE_EQ(ZuulGovernor::grab_delay(100), 10);
}

}  // namespace
}  // namespace sluice::model

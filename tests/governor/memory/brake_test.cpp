#include "governor/memory/brake.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice {
namespace {

using Turns = std::vector<std::uint64_t>;

BrakedJob running(std::uint64_t turn, double used, double growth, double peak = 0) {
  return {turn, used, growth, peak, false, false};
}

BrakedJob suspended(std::uint64_t turn, double used, double peak = 0) {
  return {turn, used, 0, peak, true, false};
}

BrakedJob retryable(BrakedJob job) {
  job.retryable = true;
  return job;
}

TEST(Brake, DoesNothingFarFromTheLimit) {
  EXPECT_EQ(decide_brake({{running(1, 400, 100), running(2, 300, 100)}, 1000, 700}), BrakeOrders{});
  EXPECT_EQ(decide_brake({{}, 1000, 999}), BrakeOrders{});
}

TEST(Brake, SuspendsTheYoungestBeforeTheLimitIsReached) {
  // 900 + half a second at 60 and 60 per second is 960; 950 are allowed.
  const auto orders = decide_brake({{running(2, 300, 60), running(1, 600, 60)}, 1000, 900});
  EXPECT_EQ(orders.suspend, Turns{2});
  EXPECT_TRUE(orders.end.empty());
}

TEST(Brake, AJobMayNotGrowIntoWhatAnElderOneIsExpectedToNeed) {
  const BrakedJob elder = running(1, 300, 50, 700);
  EXPECT_TRUE(decide_brake({{elder, running(2, 200, 50)}, 1000, 500}).suspend.empty());
  EXPECT_EQ(decide_brake({{elder, running(2, 230, 50)}, 1000, 530}).suspend, Turns{2});
  EXPECT_TRUE(decide_brake({{elder, running(2, 230, 0)}, 1000, 530}).suspend.empty())
      << "it does not grow";
  EXPECT_EQ(decide_brake({{elder, running(2, 130, 50)}, 1000, 530}).suspend, Turns{2})
      << "others hold another 100";
}

TEST(Brake, TheEldestMayGrowWhateverYoungerOnesExpect) {
  EXPECT_TRUE(decide_brake({{running(1, 300, 50, 100), running(2, 100, 0, 900)}, 1000, 400})
                  .suspend.empty());
}

TEST(Brake, SuspendsAsManyAsItTakesButNeverTheEldest) {
  const auto orders =
      decide_brake({{running(1, 300, 400), running(2, 300, 10), running(3, 300, 10)}, 1000, 900});
  EXPECT_EQ(orders.suspend, (Turns{3, 2}));
  EXPECT_TRUE(decide_brake({{running(1, 990, 400)}, 1000, 990}).suspend.empty());
}

TEST(Brake, EndsTheYoungestThatMayRunAgainWhenTheEldestCannotFinishBesideIt) {
  const std::vector<BrakedJob> jobs{running(1, 500, 100), retryable(suspended(2, 200)),
                                    retryable(suspended(3, 200)), suspended(4, 50)};
  const auto orders = decide_brake({jobs, 1000, 950});
  EXPECT_EQ(orders.end, Turns{3});
  EXPECT_TRUE(orders.suspend.empty());
}

TEST(Brake, NeverEndsWhatMayNotRunAgain) {
  EXPECT_EQ(decide_brake({{running(1, 500, 100), suspended(2, 450)}, 1000, 950}), BrakeOrders{});
}

TEST(Brake, LetsTheEldestGoOnAsSoonAsItsPeakFits) {
  const std::vector<BrakedJob> jobs{running(1, 300, 0, 400), suspended(2, 200, 350),
                                    suspended(3, 100, 300)};
  // 600 used; the first may grow by 100, the second by 150, the third by 200.
  EXPECT_EQ(decide_brake({jobs, 1000, 600}).resume, Turns{2});
  EXPECT_TRUE(decide_brake({jobs, 1000, 660}).resume.empty());
  EXPECT_EQ(decide_brake({jobs, 1200, 600}).resume, (Turns{2, 3}));
}

TEST(Brake, AYoungerJobThatFitsPassesAnElderThatDoesNotOneAtATime) {
  const std::vector<BrakedJob> jobs{running(1, 300, 0, 320), suspended(2, 200, 700),
                                    suspended(3, 100, 110), suspended(4, 100, 110)};
  EXPECT_EQ(decide_brake({jobs, 1000, 700}).resume, Turns{3});
  EXPECT_TRUE(decide_brake({jobs, 1000, 880}).resume.empty());
}

TEST(Brake, MarginsOfJobsThatGoOnCountAsThatOfASum) {
  const auto doubted = [](BrakedJob job, double margin) {
    job.margin = margin;
    return job;
  };
  // Both may grow by 20, and by 30 and 40 more: together by 40 + 50.
  const std::vector<BrakedJob> jobs{doubted(running(1, 300, 0, 350), 30),
                                    doubted(suspended(2, 200, 260), 40)};
  EXPECT_EQ(decide_brake({jobs, 1000, 809}).resume, Turns{2});
  EXPECT_TRUE(decide_brake({jobs, 1000, 811}).resume.empty());
}

TEST(Brake, WithNothingElseRunningTheEldestGoesOnWhateverIsUsed) {
  EXPECT_EQ(decide_brake({{suspended(5, 300, 900), suspended(4, 300, 900)}, 1000, 990}).resume,
            Turns{4});
}

TEST(Brake, ANeighbourThatTakesTheMemoryBrakesToo) {
  EXPECT_EQ(decide_brake({{running(1, 100, 0), running(2, 100, 0)}, 1000, 960}).suspend, Turns{2});
}

TEST(Brake, ActsEarlierWhereTheKernelKillsAWholeGroup) {
  constexpr auto kGroup = MemoryLimit::Kill::group;
  const std::vector<BrakedJob> slow{running(1, 500, 0), running(2, 400, 0)};
  EXPECT_TRUE(decide_brake({slow, 1000, 900}).suspend.empty());
  EXPECT_EQ(decide_brake({slow, 1000, 900, {}, kGroup}).suspend, Turns{2});
  // 700 + a whole second at 200 per second, not half of one.
  const std::vector<BrakedJob> fast{running(1, 500, 0), running(2, 200, 200)};
  EXPECT_TRUE(decide_brake({fast, 1000, 700}).suspend.empty());
  EXPECT_EQ(decide_brake({fast, 1000, 700, {}, kGroup}).suspend, Turns{2});
  const std::vector<BrakedJob> jobs{running(1, 300, 0, 300), suspended(2, 200, 270)};
  EXPECT_EQ(decide_brake({jobs, 1000, 800}).resume, Turns{2});
  EXPECT_TRUE(decide_brake({jobs, 1000, 800, {}, kGroup}).resume.empty());
}

TEST(BrakeProperty, OrdersAreSound) {
  std::mt19937 random(5);
  const auto upto = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  };
  for (int round = 0; round < 20000; ++round) {
    BrakeView view{{}, 1000, upto(1100)};
    for (std::uint64_t turn = 1; turn <= 1 + static_cast<std::uint64_t>(upto(5)); ++turn) {
      view.jobs.push_back(
          {turn, upto(500), upto(400) - 100, upto(600), upto(1) < 0.4, upto(1) < 0.5});
    }
    const auto job = [&](std::uint64_t turn) { return view.jobs[turn - 1]; };
    const BrakeOrders orders = decide_brake(view);
    EXPECT_EQ(orders, decide_brake(view));
    for (const auto turn : orders.suspend) EXPECT_FALSE(job(turn).suspended);
    for (const auto turn : orders.resume) EXPECT_TRUE(job(turn).suspended);
    for (const auto turn : orders.end) EXPECT_TRUE(job(turn).suspended && job(turn).retryable);
    EXPECT_TRUE(orders.resume.empty() || (orders.suspend.empty() && orders.end.empty()));
    EXPECT_LE(orders.end.size(), 1u);
    std::size_t run = 0;
    for (const BrakedJob& each : view.jobs) run += each.suspended ? 0 : 1;
    EXPECT_GE(run - orders.suspend.size() + orders.resume.size(), 1u) << "all stand still";
    BrakeView worse = view;
    worse.used += upto(200);
    const BrakeOrders then = decide_brake(worse);
    EXPECT_GE(then.suspend.size(), orders.suspend.size());
    EXPECT_LE(then.resume.size(), orders.resume.size());
  }
}

BrakedJob of(std::uint64_t owner, BrakedJob job) {
  job.owner = owner;
  return job;
}

TEST(Brake, WhatAnElderJobOfAnotherIsExpectedToNeedHoldsNobodyBack) {
  const BrakedJob younger = of(1, running(2, 230, 50));
  EXPECT_EQ(decide_brake({{of(1, running(1, 300, 50, 700)), younger}, 1000, 530}).suspend,
            Turns{2});
  EXPECT_TRUE(
      decide_brake({{of(7, running(1, 300, 50, 700)), younger}, 1000, 530}).suspend.empty());
}

TEST(Brake, ASuspendedJobGoesOnWhateverOthersExpect) {
  for (const BrakedJob& other : {running(1, 300, 0, 900), suspended(1, 300, 900)}) {
    const BrakeView view{
        {of(7, other), of(7, running(3, 100, 0)), of(1, suspended(2, 100, 200))}, 1000, 500};
    EXPECT_EQ(decide_brake(view).resume, Turns{2});
  }
}

TEST(Brake, JobsThatHoldNextToNothingKeepNoJobOfAnotherFromBeingTheLast) {
  const BrakedJob tiny = of(7, running(1, 0, 0));
  EXPECT_TRUE(decide_brake({{tiny, of(1, running(2, 900, 50))}, 1000, 960}).suspend.empty());
  for (const double used : {930, 960}) {
    const BrakeView view{{tiny, of(1, suspended(2, used - 10, 970))}, 1000, used};
    EXPECT_EQ(decide_brake(view).resume, Turns{2});
  }
  const BrakedJob large = of(7, running(1, 300, 0));
  EXPECT_EQ(decide_brake({{large, of(1, running(2, 600, 50))}, 1000, 960}).suspend, Turns{2});
}

TEST(Brake, JobsTogetherGrowByNoMoreThanTheirLevel) {
  BrakeView view{{of(7, running(1, 300, 1000)), of(1, running(2, 300, 10))}, 1000, 900};
  EXPECT_EQ(decide_brake(view).suspend, Turns{2});
  view.growth = 20;
  EXPECT_TRUE(decide_brake(view).suspend.empty());
}

}  // namespace
}  // namespace sluice

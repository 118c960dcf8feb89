#include "governor/law/knee.h"

#include <gtest/gtest.h>

#include "window_script.h"

namespace sluice::window_test {
namespace {

/// A machine with two CPUs under `law: knee`, sampled each quarter of a second.
class Knee : public ::testing::Test {
 protected:
  Knee() : window_(open(Law::knee, 30, 400)) { use_.cpus = 2; }

  /// One sample.
  WindowStep sample(double busy, double waiting, std::int64_t usage, Demand demand = kNothing,
                    const std::vector<JudgedSensor>& sensors = {green(0)}) {
    now_ += 0.25;
    use_.span = std::chrono::milliseconds(250);
    use_.busy = busy;
    use_.waiting = waiting;
    use_.cores = 2 * busy;
    WindowInput input{Points{usage}, demand.refused, demand.pending, sensors, at(now_), knee_};
    input.knee.use = use_;
    const WindowStep step = step_window(window_.parameters, window_.state, input);
    window_.state = step.state;
    return step;
  }

  Window window_;
  MachineUse use_;
  KneeInput knee_;
  double now_ = 0;
};

TEST_F(Knee, DoublesAtEachSampleWhileTheMachineIdlesAndJobsWait) {
  for (const std::int64_t size : {60, 120, 240, 400}) {
    const WindowStep step = sample(0.1, 0, window_.size(), kRefused);
    EXPECT_EQ(window_.size(), size);
    EXPECT_EQ(step.cause, WindowCause::slow_start);
  }
  EXPECT_FALSE(sample(0.1, 0, 400, kRefused).cause) << "at the maximum";
}

TEST_F(Knee, WaitsForTheRampOfTheJobAdmittedLast) {
  knee_.ramp = std::chrono::seconds(1);
  sample(0.1, 0, 30, kRefused);
  EXPECT_EQ(window_.size(), 60);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(sample(0.1, 0, 60, kRefused).cause);
  EXPECT_EQ(sample(0.1, 0, 60, kRefused).cause, WindowCause::slow_start);
}

TEST_F(Knee, DoesNotGrowForJobsThatDoNotWaitForIt) {
  EXPECT_FALSE(sample(0.1, 0, 30, kPending).cause);
  EXPECT_EQ(window_.size(), 30);
}

TEST_F(Knee, GrowsByOneJobJustBelowTheKnee) {
  knee_.next = 0.7;
  EXPECT_EQ(sample(0.95, 0, 30, kRefused).cause, WindowCause::growth);
  EXPECT_EQ(window_.size(), 37);
  window_.state.size = Points{200};
  sample(0.95, 0, 200, kRefused);
  EXPECT_EQ(window_.size(), 210) << "or by a twentieth";
}

TEST_F(Knee, HoldsWhileEveryCpuIsBusy) {
  knee_.demand = 2;
  EXPECT_FALSE(sample(0.98, 0.05, 30, kRefused).cause);
  EXPECT_FALSE(sample(0.8, 0.2, 30, kRefused).cause) << "tasks wait";
  EXPECT_EQ(window_.size(), 30);
}

TEST_F(Knee, LeavesLessThanOneJobFreeAtTheKnee) {
  knee_.demand = 2;
  knee_.next = 1;
  const WindowStep step = sample(0.99, 0.05, 20, kPending);
  EXPECT_EQ(step.cause, WindowCause::knee);
  EXPECT_EQ(window_.size(), 29);
  EXPECT_FALSE(sample(0.99, 0.05, 20, kPending).cause);
}

TEST_F(Knee, AJobThatHasJustEndedDoesNotShrinkTheWindow) {
  knee_.demand = 2;
  knee_.next = 1;
  sample(0.99, 0.05, 20, kPending);
  ASSERT_EQ(window_.size(), 29);
  EXPECT_FALSE(sample(0.99, 0.05, 10, kPending).cause) << "the next takes its place";
  for (int i = 0; i < 4; ++i) sample(0.99, 0.05, 10, kPending);
  EXPECT_EQ(window_.size(), 19) << "none did for a second";
}

TEST_F(Knee, KeepsItsSizeAtTheKneeWhileNothingWaits) {
  knee_.demand = 2;
  EXPECT_FALSE(sample(0.99, 0.05, 20).cause);
  EXPECT_EQ(window_.size(), 30);
}

TEST_F(Knee, GrowsUpToHalfOfTheCpusBesideAGreedyNeighbour) {
  use_.cpus = 16;
  window_.state.size = Points{30};
  knee_.demand = 3;
  knee_.neighbours = 13;
  for (int i = 0; i < 8; ++i) sample(1, 0.2, window_.size(), kRefused);
  EXPECT_EQ(window_.size(), 80);
}

TEST_F(Knee, YieldsWhenTwiceTheTargetWaitsForThreeSeconds) {
  knee_.demand = 4;
  window_.state.size = Points{60};
  for (int i = 0; i < 11; ++i) ASSERT_FALSE(sample(1, 0.5, 40).cause) << i;
  const WindowStep step = sample(1, 0.5, 40);
  EXPECT_EQ(step.cause, WindowCause::yield);
  EXPECT_EQ(window_.size(), 20) << "usage x CPUs / demand";
}

TEST_F(Knee, WhatWasSeenBeforeARedSensorIsNoReasonToYield) {
  knee_.demand = 4;
  window_.state.size = Points{60};
  for (int i = 0; i < 11; ++i) sample(1, 0.5, 60);
  sample(1, 0.5, 60, kNothing, {red(1.5, "memory")});
  now_ += 600;
  EXPECT_NE(sample(1, 0.5, 60).cause, WindowCause::yield);
}

TEST_F(Knee, AShortSpikeIsNoReasonToYield) {
  knee_.demand = 4;
  for (int i = 0; i < 40; ++i) {
    ASSERT_FALSE(sample(1, i % 4 == 0 ? 1 : 0.05, 30).cause) << i;
  }
}

TEST_F(Knee, YieldsAgainOnlyAfterTheJobsInFlightCouldEnd) {
  knee_.demand = 4;
  window_.state.size = Points{100};
  int yields = 0;
  for (int i = 0; i < 80; ++i) {
    yields += sample(1, 0.5, 80).cause == WindowCause::yield ? 1 : 0;
    window_.state.size = Points{100};
  }
  EXPECT_EQ(yields, 6) << "in twenty seconds, three each";
}

TEST_F(Knee, YieldsAgainOnlyAfterALongerRampOfTheJobAdmittedLast) {
  knee_.demand = 4;
  knee_.ramp = std::chrono::seconds(5);
  int yields = 0;
  for (int i = 0; i < 80; ++i) {
    window_.state.size = Points{100};
    yields += sample(1, 0.5, 80).cause == WindowCause::yield ? 1 : 0;
  }
  EXPECT_EQ(yields, 4) << "after 3, 8, 13 and 18 of twenty seconds";
}

TEST_F(Knee, GrowsWhileEachJobWaitsForMillisecondsOnly) {
  use_.ended = 99;
  EXPECT_FALSE(sample(0.8, 0.5, 30, kRefused).cause) << "each waits for 10 ms";
  use_.ended = 101;
  EXPECT_EQ(sample(0.8, 0.5, 30, kRefused).cause, WindowCause::slow_start);
}

TEST_F(Knee, ManyBriefJobsDoNotHideTheQueueOfLongOnes) {
  use_.ended = 600;
  use_.own_waiting = 0.2;
  EXPECT_FALSE(sample(0.8, 0.5, 30, kRefused).cause);
}

TEST_F(Knee, BriefJobsDoNotGrowBeyondBusyCpusEither) {
  use_.ended = 600;
  EXPECT_FALSE(sample(0.98, 0.5, 30, kRefused).cause);
}

TEST_F(Knee, DoesNotYieldWhileEachJobWaitsForMillisecondsOnly) {
  knee_.demand = 4;
  use_.ended = 600;
  window_.state.size = Points{60};
  for (int i = 0; i < 40; ++i) ASSERT_NE(sample(1, 0.7, 40).cause, WindowCause::yield) << i;
}

TEST_F(Knee, NeverYieldsMoreThanHalfOfTheCpus) {
  knee_.demand = 2;
  knee_.neighbours = 100;
  for (int i = 0; i < 100; ++i) sample(1, 5, 20);
  EXPECT_EQ(window_.size(), 10);
  use_.cpus = 16;
  window_.state.size = Points{160};
  for (int i = 0; i < 100; ++i) sample(1, 5, 160);
  EXPECT_EQ(window_.size(), 80);
}

TEST_F(Knee, ANeighbourThatWaitsForNothingTakesNothing) {
  knee_.demand = 1;
  knee_.neighbours = 1;
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(sample(1, 0.05, 20).cause);
}

TEST_F(Knee, FallsToTwiceTheUsageWhenItIsNotHalfUsedForASecond) {
  window_.state.size = Points{200};
  for (int i = 0; i < 4; ++i) ASSERT_FALSE(sample(0.2, 0, 40).cause);
  EXPECT_EQ(sample(0.2, 0, 40).cause, WindowCause::unused);
  EXPECT_EQ(window_.size(), 80);
}

TEST_F(Knee, FallsOnlyAfterALongerRampOfTheJobAdmittedLast) {
  window_.state.size = Points{200};
  knee_.ramp = std::chrono::seconds(3);
  for (int i = 0; i < 12; ++i) ASSERT_FALSE(sample(0.2, 0, 40).cause) << i;
  EXPECT_EQ(sample(0.2, 0, 40).cause, WindowCause::unused);
}

TEST_F(Knee, FallsToTheInitialSizeAtMost) {
  window_.state.size = Points{200};
  for (int i = 0; i < 5; ++i) sample(0, 0, 0);
  EXPECT_EQ(window_.size(), 30);
}

TEST_F(Knee, DoesNotFallWhileJobsWaitForIt) {
  window_.state.size = Points{200};
  knee_.demand = 2;
  for (int i = 0; i < 20; ++i) sample(1, 0.1, 60, kRefused);
  EXPECT_EQ(window_.size(), 200);
}

TEST_F(Knee, DoesNotFallWhileJobsWaitForItThoughABlindSensorKeepsItFromGrowing) {
  window_.state.size = Points{200};
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(sample(0.2, 0, 60, kRefused, {stale(0)}).cause) << i;
  EXPECT_EQ(window_.size(), 200);
}

TEST_F(Knee, ARedSensorCutsAsUnderAdaptive) {
  window_.state.size = Points{100};
  const WindowStep step = sample(0.2, 0, 100, kRefused, {red(1.5, "memory")});
  EXPECT_EQ(step.cause, WindowCause::red);
  Window adaptive = open(Law::adaptive, 30, 400);
  adaptive.state.size = Points{100};
  adaptive.observe(0.25, 100, {red(1.5, "memory")}, kRefused);
  EXPECT_EQ(window_.size(), adaptive.size());
}

TEST_F(Knee, AGateAndABlindSensorStopItsGrowth) {
  EXPECT_FALSE(sample(0.1, 0, 30, kRefused, {red_gate(1)}).cause);
  EXPECT_FALSE(sample(0.1, 0, 30, kRefused, {stale(0)}).cause);
  EXPECT_EQ(window_.size(), 30);
}

TEST_F(Knee, LessHeadroomMeansLessGrowth) {
  sample(0.1, 0, 30, kRefused, {green(0.75, "memory")});
  EXPECT_EQ(window_.size(), 42) << "30 x 2^0.5";
}

TEST_F(Knee, GrowthWithoutGainEndsWhileTasksWaitForTheDisk) {
  use_.io_waiting = 0.5;
  use_.sectors = 1000;
  int grown = 0;
  for (int i = 0; i < 20; ++i) {
    window_.state.size = Points{30};
    grown += sample(0.1, 0, 30, kRefused).cause ? 1 : 0;
  }
  EXPECT_EQ(grown, 3) << "the first has nothing to compare with";
}

TEST_F(Knee, GrowthWithoutGainEndsWhileTasksWaitForAnothersDisk) {
  use_.io_waiting = 0.5;
  use_.sectors = 0;
  int grown = 0;
  for (int i = 0; i < 20; ++i) {
    window_.state.size = Points{30};
    grown += sample(0.1, 0, 30, kRefused).cause ? 1 : 0;
  }
  EXPECT_EQ(grown, 3) << "a network's filesystem moves no sectors here";
}

TEST_F(Knee, GrowthThatBringsAQuarterMoreThroughGoesOn) {
  use_.io_waiting = 0.5;
  use_.sectors = 1000;
  for (int i = 0; i < 10; ++i) {
    window_.state.size = Points{30};
    EXPECT_TRUE(sample(0.1, 0, 30, kRefused).cause) << i;
    use_.sectors *= 1.25;
  }
}

TEST_F(Knee, GrowthThatBringsAQuarterMoreCpuTimeThroughGoesOnToo) {
  use_.io_waiting = 0.5;
  use_.sectors = 1000;
  double busy = 0.1;
  for (int i = 0; i < 9; ++i) {
    window_.state.size = Points{30};
    EXPECT_TRUE(sample(busy, 0, 30, kRefused).cause) << i;
    busy *= 1.25;
  }
}

TEST_F(Knee, ProbesAFullDiskAgainAfterTenSeconds) {
  use_.io_waiting = 0.5;
  use_.sectors = 1000;
  std::vector<double> grown;
  for (int i = 0; i < 100; ++i) {
    window_.state.size = Points{30};
    if (sample(0.1, 0, 30, kRefused).cause) grown.push_back(now_);
  }
  ASSERT_EQ(grown.size(), 5u);
  EXPECT_GE(grown[3] - grown[2], 10);
  EXPECT_GE(grown[4] - grown[3], 10);
}

TEST(KneeReports, ChangesOfCauseAndOfATenthAtMostOnceASecond) {
  const auto change = [](double seconds, std::int64_t to, WindowCause cause) {
    return WindowChange{at(seconds), Points{0}, Points{to}, cause, ""};
  };
  const auto last = change(10, 100, WindowCause::growth);
  EXPECT_TRUE(is_worth_reporting(std::nullopt, last));
  EXPECT_FALSE(is_worth_reporting(last, change(10.9, 200, WindowCause::knee)));
  EXPECT_TRUE(is_worth_reporting(last, change(11, 101, WindowCause::knee)));
  EXPECT_FALSE(is_worth_reporting(last, change(11, 109, WindowCause::growth)));
  EXPECT_TRUE(is_worth_reporting(last, change(11, 110, WindowCause::growth)));
  EXPECT_TRUE(is_worth_reporting(last, change(11, 90, WindowCause::growth)));
}

TEST_F(Knee, WithoutAnySampleItActsAsAdaptive) {
  Window window = open(Law::knee, 30, 400), adaptive = open(Law::adaptive, 30, 400);
  for (int second = 1; second <= 100; ++second) {
    const JudgedSensor sensor = second < 60 ? green(0.3) : red(1.3);
    const WindowStep step = window.observe(second, window.size(), {sensor}, kRefused);
    const WindowStep other = adaptive.observe(second, adaptive.size(), {sensor}, kRefused);
    ASSERT_EQ(window.size(), adaptive.size()) << second;
    ASSERT_EQ(step.cause, other.cause) << second;
  }
  EXPECT_NE(window.size(), 30);
}

TEST_F(Knee, HoldsForTenSecondsWithoutASampleAndThenActsAsAdaptive) {
  sample(0.99, 0, 30);
  for (int second = 1; second <= 10; ++second) {
    EXPECT_FALSE(window_.observe(second, 30, {green(0)}, kRefused).cause) << second;
  }
  EXPECT_EQ(window_.observe(16, 30, {green(0)}, kRefused).cause, WindowCause::slow_start);
}

}  // namespace
}  // namespace sluice::window_test

#include "service/jobs/remote_brake.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {
using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr JobId kElder{1}, kYounger{2};

/// A brake over a host of 1000 MiB whose jobs report the memory they hold, in MiB.
class RemoteBrakeTest : public ::testing::Test {
 protected:
  std::vector<BrakeAction> report(JobId job, std::uint64_t held, Duration after = 100ms) {
    now += after;
    JobUsage usage;
    usage.memory = Bytes{held * kMiB};
    return brake.report(job, usage, expected, now);
  }
  /// Sets the prediction of each later job.
  void expect(double mebibytes, double deviation) {
    expected.rung = Rung::key;
    expected.memory = MemoryNeed{mebibytes * kMiB, deviation * kMiB};
  }

  std::uint64_t used = 0;
  Prediction expected;
  TimePoint now{10s};
  RemoteBrake brake{
      [this](TimePoint) {
        return std::vector<MemoryLimit>{{"host", Bytes{1000 * kMiB}, Bytes{used * kMiB}}};
      },
      2};
};

TEST_F(RemoteBrakeTest, TheYoungestStandsStillUntilTheElderHasEnded) {
  expect(500, 0);
  used = 960;
  report(kElder, 480);
  EXPECT_EQ(brake.suspension(kElder), nullptr);
  const auto actions = report(kYounger, 480);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0].job, kYounger.value);
  ASSERT_NE(brake.suspension(kYounger), nullptr);
  EXPECT_EQ(brake.suspension(kYounger)->since, now);
  EXPECT_EQ(brake.suspension(kElder), nullptr);
  used = 480;
  EXPECT_EQ(brake.ended(kElder, now).at(0).what, BrakeAction::What::resumed);
  EXPECT_EQ(brake.suspension(kYounger), nullptr);
}

/// Else one unknown job after the other would start in its place.
TEST_F(RemoteBrakeTest, OneThatStoodStillGoesOnBeforeTheNextOneStarts) {
  expect(900, 0);
  used = 960;
  report(kElder, 480);
  ASSERT_EQ(report(kYounger, 480).size(), 1U);
  used = 480;
  brake.ended(kElder, now);
  EXPECT_TRUE(report(JobId{3}, 20).empty());
  EXPECT_EQ(brake.suspension(kYounger), nullptr);
  EXPECT_TRUE(brake.ended(kElder, now).empty()) << "it is known no more";
}

TEST_F(RemoteBrakeTest, WhatElderJobsAreExpectedToNeedWithTheirDeviationsIsTheirs) {
  expect(700, 90);  // 880 including two deviations.
  used = 50;
  report(kElder, 30);
  report(kYounger, 20);
  used = 110;
  EXPECT_EQ(report(kYounger, 80).size(), 1U)
      << "880 of the elder's and the 80 and more it grows to";
}

TEST_F(RemoteBrakeTest, TheirMeanAloneWouldLeaveRoom) {
  expect(700, 0);
  used = 50;
  report(kElder, 30);
  report(kYounger, 20);
  used = 110;
  EXPECT_TRUE(report(kYounger, 80).empty());
}

TEST_F(RemoteBrakeTest, AJobWhoseReportsStoppedIsTakenNotToGrow) {
  expect(100, 0);
  report(kElder, 10);
  report(kYounger, 10);
  report(kYounger, 60);
  used = 930;
  EXPECT_EQ(report(kElder, 10).size(), 1U) << "half a second more of it would reach 95 %";
  used = 100;
  for (int times = 0; times < 50; ++times) report(kElder, 10);
  used = 930;
  EXPECT_TRUE(report(kElder, 10).empty()) << "nobody grows";
}

TEST_F(RemoteBrakeTest, LooksAtTheMemoryAtMostTwentyTimesASecond) {
  expect(100, 0);
  used = 990;
  report(kElder, 10);
  EXPECT_TRUE(report(kYounger, 10, 10ms).empty());
  EXPECT_FALSE(report(kYounger, 10, 40ms).empty());
}

TEST_F(RemoteBrakeTest, OfAJobAndItsChildrenTheEldestChildIsTheOneThatAlwaysRuns) {
  constexpr JobId kFirst{2}, kSecond{3};
  const auto child = [&](JobId job, std::uint64_t held) {
    now += 100ms;
    JobUsage usage;
    usage.memory = Bytes{held * kMiB};
    return brake.report(job, usage, {}, now, std::nullopt, kElder);
  };
  report(kElder, 10);
  child(kFirst, 400);
  child(kSecond, 400);
  used = 990;
  child(kFirst, 480);
  child(kSecond, 500);
  EXPECT_NE(brake.suspension(kSecond), nullptr);
  EXPECT_EQ(brake.suspension(kFirst), nullptr) << "the parent only waits for it";
  EXPECT_EQ(brake.suspension(kElder), nullptr);
  brake.ended(kFirst, now);
  brake.ended(kSecond, now);
  report(kYounger, 400);
  EXPECT_EQ(brake.suspension(kElder), nullptr) << "without children it runs itself again";
  EXPECT_NE(brake.suspension(kYounger), nullptr);
}

TEST(JobBrakeThatWatchesNothing, LetsAllRun) {
  RemoteBrake brake;
  JobUsage usage;
  usage.memory = Bytes{std::uint64_t{1} << 50};
  EXPECT_TRUE(brake.report(kElder, usage, {}, TimePoint{1s}).empty());
  EXPECT_EQ(brake.suspension(kElder), nullptr);
  EXPECT_TRUE(brake.ended(kElder, TimePoint{2s}).empty());
}

TEST_F(RemoteBrakeTest, WhatHoldersReportSuspendsNobodyOfAnotherUser) {
  expect(700, 90);
  used = 130;
  JobUsage usage;
  for (std::uint64_t step = 1; step < 40; ++step) {
    now += 100ms;
    usage.source = JobUsage::Source::reported;
    usage.memory = Bytes{step << 40};
    for (std::uint64_t liar = 10; liar < 20; ++liar) {
      brake.report(JobId{liar}, usage, expected, now, 4001);
    }
    usage.source = JobUsage::Source::processes;
    usage.memory = Bytes{(80 + step) * kMiB};
    brake.report(kYounger, usage, expected, now, 0);
    EXPECT_EQ(brake.suspension(kYounger), nullptr);
  }
  EXPECT_EQ(brake.suspension(JobId{10}), nullptr);
}

}  // namespace
}  // namespace sluice

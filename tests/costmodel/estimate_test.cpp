#include "costmodel/estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace sluice {
namespace {

constexpr double kMiB = 1 << 20;

PastRun run_of(double mib, Outcome outcome = Outcome::ok) {
  return {
      1, 0, outcome, 1.0, Bytes{static_cast<std::uint64_t>(mib * kMiB)}, std::chrono::seconds(10)};
}

std::vector<PastRun> runs_of(const std::vector<double>& peaks) {
  std::vector<PastRun> runs;
  for (const double peak : peaks) runs.push_back(run_of(peak));
  return runs;
}

SoFar so_far(double mib) {
  return {1, Bytes{static_cast<std::uint64_t>(mib * kMiB)}, std::chrono::seconds(1)};
}

MemoryNeed need(const std::vector<double>& peaks, Kinship kinship = Kinship::same_job) {
  const MemoryNeed bytes = estimate(runs_of(peaks), {}, kinship).memory;
  return {bytes.mean / kMiB, bytes.deviation / kMiB};
}

/// The deviation with which mean + 2.33 deviations is the 99th percentile of a lognormal
/// distribution with these moments.
double lognormal(double deviation, double mean) {
  const double variance = std::log(1 + deviation * deviation / (mean * mean));
  const double percentile = mean * std::exp(2.33 * std::sqrt(variance) - variance / 2);
  return (percentile - mean) / 2.33;
}

/// The part of Student's distribution below t, by Simpson's rule over the angle atan(x / sqrt(v)),
/// in which the density is cos^(v-1) on (-pi/2, pi/2).
double part_below(double t, double freedom) {
  const double to = std::atan(t / std::sqrt(freedom));
  const auto density = [&](double angle) { return std::pow(std::cos(angle), freedom - 1); };
  const auto integral = [&](double end) {
    constexpr int kSteps = 2000;
    double sum = density(0) + density(end);
    for (int i = 1; i < kSteps; ++i) sum += (i % 2 ? 4 : 2) * density(end * i / kSteps);
    return sum * end / kSteps / 3;
  };
  return 0.5 + 0.5 * integral(to) / integral(std::numbers::pi / 2);
}

TEST(StudentT, NinetyNineInAHundredAreBelow) {
  for (const double freedom : {1., 2., 3., 4., 5., 7., 9., 12., 19., 29., 40., 60., 120.}) {
    EXPECT_NEAR(part_below(student_t99(freedom), freedom), 0.99, 1.5e-5) << freedom;
  }
}

TEST(StudentT, BetweenWholeDegreesIsCloseToExact) {
  for (const double freedom : {3.5, 4.75, 5.75, 8.2, 25.5, 35., 80.}) {
    EXPECT_NEAR(part_below(student_t99(freedom), freedom), 0.99, 5e-4) << freedom;
  }
}

TEST(StudentT, IsThatOfTheNormalDistributionInTheEnd) {
  EXPECT_NEAR(student_t99(1e12), 2.326, 1e-3);
  EXPECT_NEAR(widening(1e12), 1, 0.01);
}

TEST(MemoryNeedOf, OneRunIsItsMeanAndNothingIsSeenOfItsSpread) {
  EXPECT_DOUBLE_EQ(need({400}).mean, 400);
  EXPECT_DOUBLE_EQ(need({400}).deviation, 0);
}

TEST(MemoryNeedOf, TwoRunsSpreadAsFarAsTheyAreApart) {
  EXPECT_NEAR(need({400, 404}).deviation, 4 / std::sqrt(2), 1e-6);
  EXPECT_NEAR(need({100, 900}).deviation, 800 / std::sqrt(2), 1e-6);
}

TEST(MemoryNeedOf, ThreeRunsAreWidenedByStudentsT) {
  const double expected = lognormal(10, 100) * std::sqrt(1 + 1.0 / 3) * 6.965 / 2.33;
  EXPECT_NEAR(need({90, 100, 110}).deviation, expected, 1e-6);
  EXPECT_NEAR(need({90, 100, 110}).mean, 100, 1e-9);
}

TEST(MemoryNeedOf, RunsOfOneJobThatAgreeKeepThreeInAHundred) {
  EXPECT_NEAR(need({200, 200.1, 200}).deviation, 0.03 * need({200, 200.1, 200}).mean, 1e-9);
}

TEST(MemoryNeedOf, DifferentJobsCountAsUnlikeUntilManyHaveBeenAlike) {
  const auto deviation = [](std::size_t runs) {
    return need(std::vector<double>(runs, 200), Kinship::different_jobs).deviation;
  };
  EXPECT_NEAR(deviation(3), 100 * std::sqrt(2.0 / 4), 1);
  EXPECT_GT(deviation(3), deviation(10));
  EXPECT_GT(deviation(10), deviation(40));
  EXPECT_LT(deviation(40), 0.15 * 200);
}

TEST(MemoryNeedOf, ThreeUnlikeJobsDoNotMakeTheNextOneBoundless) {
  EXPECT_LT(need({640, 640, 197}, Kinship::different_jobs).deviation, 300);
}

TEST(MemoryNeedOf, AJobThatDoubledIsFollowedInFiveRuns) {
  std::vector<double> peaks(20, 500);
  for (int run = 1; run <= 5; ++run) {
    peaks.push_back(1000);
    const MemoryNeed now = need(peaks);
    EXPECT_GE(now.mean + 2.33 * now.deviation, 1000) << "kept too little after run " << run;
  }
  EXPECT_GE(need(peaks).mean, 0.9 * 1000);
}

TEST(MemoryNeedOf, AJobThatHalvedIsFollowedInTen) {
  std::vector<double> peaks(20, 1000);
  peaks.insert(peaks.end(), 10, 500);
  EXPECT_LE(need(peaks).mean, 1.01 * 500);
  EXPECT_LE(need(peaks).deviation, 0.15 * 500);
}

TEST(MemoryNeedOf, DifferentJobsFadeSlowly) {
  std::vector<double> peaks(25, 1000);
  peaks.insert(peaks.end(), 10, 100);
  EXPECT_GE(need(peaks, Kinship::different_jobs).mean, 600);
}

TEST(MemoryNeedOf, CancelledRunsCountAsAtLeast) {
  std::vector<PastRun> runs = runs_of({400, 400, 400});
  const MemoryNeed before = estimate(runs, {}, Kinship::same_job).memory;
  runs.push_back(run_of(10, Outcome::cancelled));
  EXPECT_EQ(estimate(runs, {}, Kinship::same_job).memory, before);
  EXPECT_EQ(estimate(runs, {}, Kinship::same_job).runs, 3U);
  runs.push_back(run_of(800, Outcome::cancelled));
  EXPECT_NEAR(estimate(runs, {}, Kinship::same_job).memory.mean / kMiB, 500, 1e-6);
}

TEST(MemoryNeedOf, RunsThatFailedEarlyDoNotHideWhatAGoodOneNeeds) {
  std::vector<PastRun> runs = runs_of({400, 400, 400});
  const MemoryNeed before = estimate(runs, {}, Kinship::same_job).memory;
  for (int i = 0; i < 5; ++i) runs.push_back(run_of(10, Outcome::failed));
  EXPECT_EQ(estimate(runs, {}, Kinship::same_job).memory, before);
}

TEST(MemoryNeedOf, AJobThatAlwaysFailsIsLearnedFromItsFailures) {
  const std::vector<PastRun> runs(3, run_of(300, Outcome::failed));
  EXPECT_EQ(estimate(runs, {}, Kinship::same_job).runs, 3U);
  EXPECT_NEAR(estimate(runs, {}, Kinship::same_job).memory.mean / kMiB, 300, 1e-6);
}

TEST(MemoryNeedOf, ARunningJobAboveTheMeanCountsAsOneRunMore) {
  const std::vector<SoFar> running{so_far(800)};
  const MemoryNeed raised = estimate(runs_of({400, 400, 400}), running, Kinship::same_job).memory;
  EXPECT_NEAR(raised.mean / kMiB, 500, 1e-6);
  EXPECT_GT(raised.deviation / kMiB, 400) << "one in four was 400 more than the others";
}

TEST(MemoryNeedOf, ARunningJobBelowTheMeanSaysNothing) {
  const std::vector<SoFar> running{so_far(10), so_far(399)};
  EXPECT_EQ(estimate(runs_of({400, 400, 400}), running, Kinship::same_job).memory,
            estimate(runs_of({400, 400, 400}), {}, Kinship::same_job).memory);
}

/// `count` peaks that go up and down by a tenth around 100, so that any five are like all.
std::vector<double> steady(std::size_t count) {
  std::vector<double> peaks;
  for (std::size_t i = 0; i < count; ++i) {
    constexpr std::array kPattern{90.0, 100.0, 110.0, 100.0};
    peaks.push_back(kPattern.at(i % kPattern.size()));
  }
  return peaks;
}

TEST(MemoryNeedOf, AllRunsOfASteadyJobCount) {
  const double spread = std::sqrt(800.0 / 4 / 4 * 40 / 39);
  EXPECT_NEAR(need(steady(40)).deviation, lognormal(spread, 100) * widening(40), 0.01);
  EXPECT_NEAR(need(steady(40)).mean, 100, 1e-6);
}

TEST(MemoryNeedOf, ASteadyJobIsBoundedAboveTheLargestRunByHalfItsDistanceFromTheMean) {
  const MemoryNeed bytes = estimate(runs_of(steady(20)), {}, Kinship::same_job).memory;
  EXPECT_NEAR(bytes.most / kMiB, 110 + 10.0 / 2, 1e-6);
}

/// The part of the peaks above what was kept for them, by the 50 runs before each.
template <typename Draw>
double part_above(Draw draw) {
  std::mt19937_64 random(1);
  int above = 0, peaks = 0;
  for (int key = 0; key < 40; ++key) {
    std::vector<PastRun> runs;
    for (int run = 0; run < 220; ++run) {
      const PastRun next = run_of(draw(random));
      if (run >= 3) {
        const MemoryNeed bytes = estimate(runs, {}, Kinship::same_job).memory;
        const auto held = static_cast<double>(next.peak_memory.value);
        above += held > expected_peak(2.33, bytes).bytes ? 1 : 0;
        ++peaks;
      }
      runs.push_back(next);
      if (runs.size() > 50) runs.erase(runs.begin());
    }
  }
  return static_cast<double>(above) / peaks;
}

TEST(MemoryNeedOf, OfNormalNeedsOneInAHundredIsAbove) {
  EXPECT_LE(part_above([](auto& random) {
              return 100 * (1 + 0.02 * std::normal_distribution<double>()(random));
            }),
            0.01);
  EXPECT_LE(part_above([](auto& random) {
              return 100 * (1 + 0.1 * std::normal_distribution<double>()(random));
            }),
            0.01);
}

TEST(MemoryNeedOf, OfLognormalNeedsHardlyMoreAreAbove) {
  EXPECT_LE(part_above([](auto& random) {
              return 100 * std::exp(0.3 * std::normal_distribution<double>()(random));
            }),
            0.015);
}

TEST(MemoryNeedOf, FewRunsChangedRunsAndOtherJobsHaveNoMost) {
  const auto most = [](const std::vector<PastRun>& runs, Kinship kinship = Kinship::same_job,
                       const std::vector<SoFar>& running = {}) {
    return estimate(runs, running, kinship).memory.most;
  };
  const std::vector<PastRun> many = runs_of(steady(20));
  EXPECT_TRUE(std::isfinite(most(many, Kinship::same_job, {so_far(110)})));
  EXPECT_TRUE(std::isinf(most(many, Kinship::same_job, {so_far(111)}))) << "refuted";
  EXPECT_TRUE(std::isinf(most(runs_of(steady(19)))));
  EXPECT_TRUE(std::isinf(most(many, Kinship::different_jobs)));
  std::vector<double> doubled = steady(20);
  doubled.insert(doubled.end(), 2, 200);
  EXPECT_TRUE(std::isinf(most(runs_of(doubled))));
  std::vector<double> wilder = steady(20);
  wilder.insert(wilder.end(), {60, 140, 60, 140, 100});
  EXPECT_TRUE(std::isinf(most(runs_of(wilder))));
  std::vector<PastRun> killed = many;
  killed.push_back(run_of(100, Outcome::oom));
  EXPECT_TRUE(std::isinf(most(killed)));
}

TEST(MemoryNeedOf, VariantsThatNeedDifferentAmountsAreNotSteady) {
  std::vector<PastRun> runs = runs_of(steady(40));
  EXPECT_TRUE(std::isfinite(estimate(runs, {}, Kinship::same_job).memory.most));
  for (PastRun& run : runs) run.variant = run.peak_memory.value;
  EXPECT_TRUE(std::isfinite(estimate(runs, {}, Kinship::same_job).memory.most)) << "below 10 %";
  for (PastRun& run : runs) {
    if (run.variant == runs[0].variant) run.peak_memory.value /= 2;
  }
  EXPECT_TRUE(std::isinf(estimate(runs, {}, Kinship::same_job).memory.most));
}

TEST(MemoryNeedOf, WhatWasKeptForAKilledRunFadesFromASteadyJob) {
  std::vector<PastRun> runs{run_of(300, Outcome::oom)};
  for (const PastRun& each : runs_of(steady(20))) runs.push_back(each);
  const MemoryNeed bytes = estimate(runs, {}, Kinship::same_job).memory;
  EXPECT_NEAR(bytes.mean / kMiB, 100, 0.1);
  EXPECT_NEAR(bytes.most / kMiB, 115, 0.1);
}

TEST(MemoryNeedOf, RunsThatWereAllKilledAreAGuess) {
  const std::vector<PastRun> killed{run_of(600, Outcome::oom)};
  EXPECT_EQ(estimate(killed, {}, Kinship::same_job).memory, (MemoryNeed{600 * kMiB, 300 * kMiB}));
  const std::vector<PastRun> seen{run_of(600, Outcome::oom), run_of(600)};
  EXPECT_EQ(estimate(seen, {}, Kinship::same_job).memory.deviation, 0);
}

TEST(RaisedMean, IsTheLargestThatAnyChoiceGives) {
  std::vector<AtLeast> values{{120, 1}, {400, 1}, {90, 1}};
  EXPECT_DOUBLE_EQ(raised_mean(100, 2, values), 200);  // (2 x 100 + 400) / 3; 120 would lower it.
}

TEST(Guess, IsThePriorWithHalfOfItAsDeviation) {
  EXPECT_EQ(guess(Bytes{512 << 20}, {}), (MemoryNeed{512 * kMiB, 256 * kMiB}));
}

TEST(Guess, IsRaisedByWhatRuns) {
  const std::vector<SoFar> running{so_far(1536)};
  EXPECT_DOUBLE_EQ(guess(Bytes{512 << 20}, running).mean, 1024 * kMiB);
}

TEST(RememberedPeak, OfAJobKilledForMemoryIsOneAndAHalfOfWhatWasKept) {
  EXPECT_EQ(remembered_peak(Outcome::oom, Bytes{90}, Bytes{100}), Bytes{150});
  EXPECT_EQ(remembered_peak(Outcome::oom, Bytes{200}, Bytes{100}), Bytes{200});
  for (const Outcome outcome : {Outcome::ok, Outcome::failed, Outcome::cancelled}) {
    EXPECT_EQ(remembered_peak(outcome, Bytes{90}, Bytes{100}), Bytes{90});
  }
}

}  // namespace
}  // namespace sluice

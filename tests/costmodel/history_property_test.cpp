#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "costmodel/estimate.h"
#include "costmodel/history.h"

namespace sluice {
namespace {

using Random = std::mt19937_64;

std::uint64_t upto(Random& random, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
}

/// Runs of a few sizes with noise, some of them cancelled or failed.
std::vector<PastRun> random_runs(Random& random, std::size_t most) {
  constexpr Outcome kOutcomes[]{Outcome::ok, Outcome::ok, Outcome::failed, Outcome::oom,
                                Outcome::cancelled};
  std::vector<PastRun> runs(upto(random, most));
  for (PastRun& run : runs) {
    run.outcome = kOutcomes[upto(random, 4)];
    run.peak_memory = Bytes{(1 + upto(random, 3)) * 1000 + upto(random, 300)};
    run.wall = Duration(upto(random, 5000));
    run.busy_cores = static_cast<double>(upto(random, 40)) / 10;
  }
  return runs;
}

std::vector<SoFar> random_running(Random& random) {
  std::vector<SoFar> running(upto(random, 6));
  for (SoFar& each : running) {
    each = {0, Bytes{upto(random, 6000)}, Duration(upto(random, 8000))};
  }
  return running;
}

void expect_no_less(const Estimate& more, const Estimate& less) {
  constexpr double kRounding = 1e-6;
  EXPECT_GE(more.memory.mean + kRounding, less.memory.mean);
  EXPECT_GE(more.memory.deviation + kRounding, less.memory.deviation);
  EXPECT_GE(more.wall, less.wall);
}

Kinship random_kinship(Random& random) {
  return upto(random, 1) ? Kinship::same_job : Kinship::different_jobs;
}

TEST(EstimateProperty, MoreSeenOfARunningJobNeverPredictsLess) {
  Random random(1);
  for (int round = 0; round < 20'000 && !::testing::Test::HasFailure(); ++round) {
    const std::vector<PastRun> runs = random_runs(random, 12);
    std::vector<SoFar> running = random_running(random);
    if (running.empty()) continue;
    const Kinship kinship = random_kinship(random);
    const Estimate before = estimate(runs, running, kinship);
    SoFar& grown = running[upto(random, running.size() - 1)];
    grown.peak_memory.value += upto(random, 3000);
    grown.wall += Duration(upto(random, 3000));
    expect_no_less(estimate(runs, running, kinship), before);
  }
}

TEST(EstimateProperty, ARunningJobMoreNeverPredictsLess) {
  Random random(2);
  for (int round = 0; round < 20'000 && !::testing::Test::HasFailure(); ++round) {
    const std::vector<PastRun> runs = random_runs(random, 12);
    std::vector<SoFar> running = random_running(random);
    const Kinship kinship = random_kinship(random);
    const Estimate before = estimate(runs, running, kinship);
    const MemoryNeed guessed = guess(Bytes{2000}, running);
    running.push_back({0, Bytes{upto(random, 6000)}, Duration(upto(random, 8000))});
    expect_no_less(estimate(runs, running, kinship), before);
    EXPECT_GE(guess(Bytes{2000}, running).mean, guessed.mean);
    EXPECT_GE(guess(Bytes{2000}, running).deviation, guessed.deviation);
  }
}

TEST(EstimateProperty, ItLiesBetweenTheLeastAndTheMostThatWasSeen) {
  Random random(3);
  for (int round = 0; round < 5'000; ++round) {
    const std::vector<PastRun> runs = random_runs(random, 50);
    const std::vector<SoFar> running = random_running(random);
    const Estimate result = estimate(runs, running, random_kinship(random));
    if (result.runs == 0) continue;
    EXPECT_GE(result.memory.mean, 1000);
    EXPECT_LE(result.memory.mean, 6000);
    const bool speaks = result.runs >= kLeastRuns;
    EXPECT_GE(result.memory.deviation, speaks ? 0.03 * result.memory.mean * 0.999 : 0);
    EXPECT_TRUE(std::isfinite(result.memory.deviation));
    EXPECT_GE(result.cores, 0);
    EXPECT_LE(result.cores, 4);
  }
}

TEST(EstimateProperty, NinetyNineInAHundredRunsOfANoisyJobFitIntoWhatIsKept) {
  Random random(4);
  std::normal_distribution<double> peak(1e9, 1e8);
  for (const std::size_t known : {3U, 5U, 9U, 30U}) {
    int fits = 0;
    constexpr int kTrials = 20'000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<PastRun> runs(known);
      for (PastRun& run : runs) run.peak_memory = Bytes{static_cast<std::uint64_t>(peak(random))};
      const MemoryNeed need = estimate(runs, {}, Kinship::same_job).memory;
      if (peak(random) <= need.mean + 2.33 * need.deviation) ++fits;
    }
    EXPECT_GE(fits / double{kTrials}, 0.985) << known << " runs";
    EXPECT_LE(fits / double{kTrials}, 0.997) << known << " runs: more is kept than needed";
  }
}

TEST(HistoryProperty, SameRunsInTheSameOrderPredictTheSame) {
  Random random(5);
  History one({}, {}, nullptr), other({}, {}, nullptr);
  const auto name = [&](char kind) { return kind + std::to_string(upto(random, 9)); };
  for (int i = 0; i < 2'000; ++i) {
    const Sample sample{name('k'),
                        name('p'),
                        i,
                        Outcome::ok,
                        1,
                        Bytes{upto(random, 1000)},
                        Duration(upto(random, 1000))};
    one.learn(sample);
    if (i % 3 == 0) one.predict({});
    other.learn(sample);
  }
  for (int i = 0; i < 100; ++i) {
    JobRequest job;
    job.key = name('k');
    job.program = name('p');
    EXPECT_EQ(one.predict(job).memory, other.predict(job).memory);
    EXPECT_EQ(one.predict(job).duration, other.predict(job).duration);
  }
}

}  // namespace
}  // namespace sluice

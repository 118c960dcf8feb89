#include "costmodel/prediction_errors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr Bytes kOneGiB{1 << 30};

Bytes mib(std::uint64_t count) { return Bytes{count << 20}; }

/// A warm run that used what was expected, and of what was kept a half.
PredictedRun exact(const std::string& key) {
  PredictedRun run;
  run.key = key;
  run.earlier = PredictedRun::kWarm;
  run.expected_memory = run.peak = mib(512);
  run.kept = kOneGiB;
  run.expected_time = run.wall = run.held = 10s;
  run.expected_cores = run.cores = 2;
  return run;
}

/// Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
TEST(Wilson, HasTheLimitsOfTheLiterature) {
  const struct {
    std::uint64_t count, of;
    double low, high;
  } rows[] = {{81, 263, 0.2553, 0.3662},
              {15, 148, 0.0624, 0.1605},
              {0, 20, 0.0000, 0.1611},
              {1, 29, 0.0061, 0.1718},
              {29, 29, 0.8830, 1.0000}};
  for (const auto& row : rows) {
    const Interval interval = wilson(row.count, row.of);
    EXPECT_NEAR(interval.low, row.low, 5e-5) << row.count << " of " << row.of;
    EXPECT_NEAR(interval.high, row.high, 5e-5) << row.count << " of " << row.of;
  }
}

TEST(Wilson, OfNoneBeginsAtZeroAndOfAllEndsAtOne) {
  for (std::uint64_t of = 1; of < 1000; ++of) {
    EXPECT_EQ(wilson(0, of).low, 0) << of;
    EXPECT_EQ(wilson(of, of).high, 1) << of;
  }
}

TEST(Wilson, OfNothingIsAnything) {
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(KeptMemory, CountsWhatWasAboveAndWhatWasNeverUsed) {
  const struct {
    const char* what;
    Bytes kept, peak;
    Outcome outcome;
    std::uint64_t runs, above;
    double byte_seconds, unused;
  } rows[] = {{"a quarter unused", mib(400), mib(300), Outcome::ok, 1, 0, 4000, 1000},
              {"just what was kept", mib(400), mib(400), Outcome::ok, 1, 0, 4000, 0},
              {"above", mib(400), mib(401), Outcome::ok, 1, 1, 4000, 0},
              {"killed for memory, below", mib(400), mib(300), Outcome::oom, 1, 1, 4000, 0},
              {"killed for memory, unseen", mib(400), Bytes{}, Outcome::oom, 1, 1, 4000, 0},
              {"failed", mib(400), mib(300), Outcome::failed, 1, 0, 4000, 1000},
              {"nothing kept", Bytes{}, mib(300), Outcome::ok, 0, 0, 0, 0},
              {"nothing measured", mib(400), Bytes{}, Outcome::ok, 0, 0, 0, 0}};
  for (const auto& row : rows) {
    KeptMemory kept;
    kept.add(row.kept, row.peak, row.outcome, 10s);
    EXPECT_EQ(kept.runs, row.runs) << row.what;
    EXPECT_EQ(kept.above, row.above) << row.what;
    EXPECT_DOUBLE_EQ(kept.byte_seconds, row.byte_seconds * (1 << 20)) << row.what;
    EXPECT_DOUBLE_EQ(kept.unused, row.unused * (1 << 20)) << row.what;
  }
}

TEST(Percentiles, IsOfRanks) {
  std::vector<double> numbers;
  for (int number = 100; number > 0; --number) numbers.push_back(number);
  const Percentiles ratio = percentiles_of(numbers);
  EXPECT_EQ(ratio.p5, 5);
  EXPECT_EQ(ratio.median, 50);
  EXPECT_EQ(ratio.p95, 95);
  EXPECT_EQ(percentiles_of({7}).p5, 7);
  EXPECT_EQ(percentiles_of({7}).p95, 7);
}

TEST(PredictionErrors, AreWhatWasUsedByWhatWasExpected) {
  PredictedRun run = exact("k");
  run.peak = mib(256);
  run.wall = 15s;
  run.cores = 4;
  const RunErrors errors = errors_of({run}).warm;
  EXPECT_EQ(errors.runs, 1U);
  EXPECT_EQ(errors.memory, std::vector{0.5});
  EXPECT_EQ(errors.time, std::vector{1.5});
  EXPECT_EQ(errors.cores, std::vector{2.0});
}

TEST(PredictionErrors, NeedBothToBeKnown) {
  PredictedRun run = exact("k");
  run.peak = Bytes{};
  run.wall = Duration{0};
  run.expected_cores = 0;
  const RunErrors errors = errors_of({run}).warm;
  EXPECT_EQ(errors.runs, 1U);
  EXPECT_TRUE(errors.memory.empty());
  EXPECT_TRUE(errors.time.empty());
  EXPECT_TRUE(errors.cores.empty());
}

TEST(PredictionErrors, AKilledRunIsAboveButDoesNotSayWhatItWouldHaveUsed) {
  PredictedRun run = exact("k");
  run.outcome = Outcome::oom;
  const RunErrors errors = errors_of({run}).warm;
  EXPECT_EQ(errors.memory_kept.above, 1U);
  EXPECT_TRUE(errors.memory.empty());
  EXPECT_TRUE(errors.time.empty());
}

TEST(PredictionErrors, LeaveOutWhoseNeedNobodySaw) {
  for (const Outcome outcome : {Outcome::cancelled, Outcome::unknown}) {
    PredictedRun run = exact("k");
    run.outcome = outcome;
    EXPECT_TRUE(errors_of({run}).keys.empty()) << to_string(outcome);
    EXPECT_EQ(errors_of({run}).warm.runs, 0U) << to_string(outcome);
  }
}

TEST(PredictionErrors, ColdRunsAreCountedApart) {
  PredictedRun few = exact("k"), unexpected = exact("k"), without_key = exact("");
  few.earlier = PredictedRun::kWarm - 1;
  few.peak = mib(2048);
  unexpected.expected_time = Duration{0};  // As the prior leaves it.
  const PredictionErrors errors = errors_of({exact("k"), few, unexpected, without_key});
  EXPECT_EQ(errors.warm.runs, 1U);
  EXPECT_EQ(errors.warm.memory_kept.above, 0U);
  EXPECT_EQ(errors.cold.runs, 3U);
  EXPECT_EQ(errors.cold.memory_kept.above, 1U);
  ASSERT_EQ(errors.keys.size(), 2U);
  EXPECT_EQ(errors.keys[0].key, "k");
  EXPECT_EQ(errors.keys[0].cold.runs, 2U);
}

TEST(PredictionErrors, TheWorstKeysComeFirst) {
  PredictedRun above = exact("above"), wasted = exact("wasted"), cold = exact("cold");
  above.peak = mib(1025);
  wasted.peak = mib(1);
  cold.earlier = 0;
  std::vector<std::string> keys;
  for (const auto& each : errors_of({cold, exact("good"), wasted, above}).keys) {
    keys.push_back(each.key);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"above", "wasted", "good", "cold"}));
}

}  // namespace
}  // namespace sluice

#include <gtest/gtest.h>

#include <ostream>

#include "window_script.h"

namespace sluice::window_test {
namespace {

Window adaptive(std::int64_t size) {
  Window window = open(Law::adaptive, 10, 400);
  window.state.size = Points{size};
  return window;
}

struct CutCase {
  const char* name;
  std::int64_t size, usage;
  double pressure;
  std::int64_t expected;
};

void PrintTo(const CutCase& given, std::ostream* out) { *out << given.name; }

class WindowCutTable : public ::testing::TestWithParam<CutCase> {};

// max(10, min(min(size, usage) x max(0.5, 1 - 0.5 (p - 1)), usage - 1))
TEST_P(WindowCutTable, FirstCut) {
  const CutCase& given = GetParam();
  Window window = adaptive(given.size);
  const WindowStep step = window.observe(1, given.usage, {red(given.pressure)});
  EXPECT_EQ(window.size(), given.expected);
  EXPECT_EQ(window.threshold(), given.expected);
  EXPECT_EQ(step.cause == WindowCause::red, given.expected != given.size);
}

INSTANTIATE_TEST_SUITE_P(
    All, WindowCutTable,
    ::testing::Values(CutCase{"AtTheLimitOnePointBelowUsage", 100, 100, 1.0, 99},
                      CutCase{"RedByHysteresisOnePointBelowUsage", 100, 90, 0.92, 89},
                      CutCase{"ByTheExcess", 100, 100, 1.25, 87},
                      CutCase{"ByATenth", 100, 100, 1.1, 95},
                      CutCase{"ByAHalfOver", 100, 100, 1.5, 75},
                      CutCase{"DeepestIsOneHalf", 100, 100, 2.0, 50},
                      CutCase{"NeverDeeper", 100, 100, 50, 50},
                      CutCase{"FromUsageWhereThatIsLess", 200, 100, 1.5, 75},
                      CutCase{"FromSizeWhereThatIsLess", 100, 200, 1.5, 75},
                      CutCase{"UsageFarAboveSizeAtTheLimit", 100, 200, 1.0, 100},
                      CutCase{"UsageJustAboveSize", 100, 101, 1.0, 100},
                      CutCase{"NotBelowMinimum", 30, 12, 2.0, 10},
                      CutCase{"NotBelowMinimumThoughNotBelowUsage", 30, 10, 1.0, 10},
                      CutCase{"NothingRuns", 100, 0, 1.0, 10}),
    [](const auto& test) { return test.param.name; });

TEST(WindowCut, OneHoweverManySensorsFire) {
  Window window = adaptive(100);
  const WindowStep step =
      window.observe(1, 100, {red(1.1), red(1.5, "memory"), red(1.2, "io"), green(0, "pids")});
  EXPECT_EQ(window.size(), 75);
  EXPECT_EQ(step.sensor, "memory");
}

TEST(WindowCut, IsAtOnce) {
  Window window = adaptive(100);
  EXPECT_EQ(window.observe(0.01, 100, {red(1)}).cause, WindowCause::red);
}

TEST(WindowCut, NextOneAfterCutSettleAtTheEarliest) {
  Window window = adaptive(100);
  window.observe(1, 100, {red(1.5)});
  for (int second = 2; second <= 60; ++second) {
    ASSERT_FALSE(window.observe(second, 60, {red(1.5)}).cause) << second;
  }
  EXPECT_EQ(window.observe(61, 60, {red(1.5)}).cause, WindowCause::red);
  EXPECT_EQ(window.size(), 45);
}

TEST(WindowCut, WaitsWhileTheLastOneHasNotTakenEffect) {
  Window window = adaptive(100);
  window.observe(1, 100, {red(1.1)});
  for (int second = 61; second <= 900; ++second) {
    ASSERT_FALSE(window.observe(second, 96, {red(1.19)}).cause) << second;
  }
  EXPECT_EQ(window.observe(901, 95, {red(1.1)}).cause, WindowCause::red);
  EXPECT_EQ(window.size(), 90);
}

TEST(WindowCut, HardPressureNeedNotWaitForTheLastOne) {
  Window window = adaptive(100);
  window.observe(1, 100, {red(1.5)});
  EXPECT_FALSE(window.observe(30, 100, {red(1.5)}).cause);
  EXPECT_EQ(window.observe(61, 100, {red(1.2)}).cause, WindowCause::red);
  EXPECT_EQ(window.size(), 67);
}

TEST(WindowCut, ThresholdIsTheNewSizeAndGrowthGoesOnInSteps) {
  Window window = adaptive(100);
  window.observe(1, 100, {red(1.5)});
  EXPECT_EQ(window.threshold(), 75);
  window.observe(16, 75, {green(0)}, kRefused);
  EXPECT_EQ(window.size(), 85);
}

TEST(WindowCut, RoundOfGrowthBeginsWithTheCut) {
  Window window = adaptive(100);
  window.observe(14, 100, {red(1.5)});
  EXPECT_FALSE(window.observe(15, 75, {green(0)}, kRefused).cause);
  EXPECT_FALSE(window.observe(28, 75, {green(0)}, kRefused).cause);
  EXPECT_EQ(window.observe(29, 75, {green(0)}, kRefused).cause, WindowCause::growth);
}

TEST(WindowCut, NoGrowthWhileAnythingIsRed) {
  Window window = adaptive(100);
  window.observe(1, 100, {red(1)});
  for (int second = 2; second <= 600; ++second) {
    window.observe(second, 200, {green(0), red(0.95, "memory")}, kRefused);
    ASSERT_LE(window.size(), 99) << second;
  }
}

TEST(WindowCut, StaleReadingsDoNotStopIt) {
  Window window = adaptive(100);
  window.observe(1, 100, {stale(0), red(1.5)});
  EXPECT_EQ(window.size(), 75);
}

TEST(WindowRefit, MovesSizeAndThresholdIntoTheNewBounds) {
  Window window = adaptive(300);
  WindowParameters parameters = window.parameters;
  parameters.maximum = Points{200};
  const WindowState lowered = refit_window(parameters, window.state);
  EXPECT_EQ(lowered.size, Points{200});
  EXPECT_EQ(lowered.threshold, Points{200});
  parameters.maximum = Points{1000};
  parameters.minimum = Points{350};
  EXPECT_EQ(refit_window(parameters, window.state).size, Points{350});
}

TEST(WindowRefit, KeepsWhatFits) {
  Window window = adaptive(300);
  window.observe(1, 300, {red(1.5)});
  const WindowState kept = refit_window(window.parameters, window.state);
  EXPECT_EQ(kept.size, window.state.size);
  EXPECT_EQ(kept.threshold, window.state.threshold);
  EXPECT_EQ(kept.last_cut, window.state.last_cut);
}

}  // namespace
}  // namespace sluice::window_test

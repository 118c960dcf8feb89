#include <gtest/gtest.h>

#include <ostream>

#include "window_script.h"

namespace sluice::window_test {
namespace {

Window adaptive_below(std::int64_t size, std::int64_t threshold) {
  Window window = open(Law::adaptive, 10, threshold);
  window.state.size = Points{size};
  return window;
}

TEST(WindowAdaptiveGrowth, StartsAtInitialWithTheFirstThreshold) {
  const Window window = open(Law::adaptive, 100, 150);
  EXPECT_EQ(window.size(), 100);
  EXPECT_EQ(window.threshold(), 150);
}

struct GrowthCase {
  const char* name;
  std::int64_t size, threshold;
  double pressure;
  std::int64_t expected;
  std::optional<WindowCause> cause;
};

void PrintTo(const GrowthCase& given, std::ostream* out) { *out << given.name; }

class WindowAdaptiveGrowthTable : public ::testing::TestWithParam<GrowthCase> {};

TEST_P(WindowAdaptiveGrowthTable, OneRound) {
  const GrowthCase& given = GetParam();
  Window window = adaptive_below(given.size, given.threshold);
  const WindowStep step = window.observe(15, given.size, {green(given.pressure)}, kRefused);
  EXPECT_EQ(window.size(), given.expected);
  EXPECT_EQ(step.cause, given.cause);
  EXPECT_EQ(window.threshold(), given.threshold);
}

const auto kGrowthName = [](const auto& test) { return test.param.name; };

// h = clamp((1 - p) / 0.5, 0, 1); size x 2^h, whole points, grows by at least one.
INSTANTIATE_TEST_SUITE_P(
    SlowStart, WindowAdaptiveGrowthTable,
    ::testing::Values(GrowthCase{"Idle", 100, 400, 0, 200, WindowCause::slow_start},
                      GrowthCase{"AtTarget", 100, 400, 0.5, 200, WindowCause::slow_start},
                      GrowthCase{"HalfHeadroom", 100, 400, 0.75, 141, WindowCause::slow_start},
                      GrowthCase{"AlmostNone", 100, 400, 0.99, 101, WindowCause::slow_start},
                      GrowthCase{"AtLeastOnePoint", 10, 400, 0.99, 11, WindowCause::slow_start},
                      GrowthCase{"AtTheLimitNothing", 100, 400, 1.0, 100, std::nullopt},
                      GrowthCase{"StopsAtTheThreshold", 100, 150, 0, 150, WindowCause::slow_start},
                      GrowthCase{"OnePointBelowTheThreshold", 149, 150, 0, 150,
                                 WindowCause::slow_start}),
    kGrowthName);

// size + 10 h, whole points, grows by at least one.
INSTANTIATE_TEST_SUITE_P(
    AboveThreshold, WindowAdaptiveGrowthTable,
    ::testing::Values(GrowthCase{"Idle", 160, 150, 0, 170, WindowCause::growth},
                      GrowthCase{"FromTheThresholdItself", 150, 150, 0.5, 160, WindowCause::growth},
                      GrowthCase{"HalfHeadroom", 160, 150, 0.75, 165, WindowCause::growth},
                      GrowthCase{"FourTenths", 160, 150, 0.8, 164, WindowCause::growth},
                      GrowthCase{"WholePointsRoundedDown", 160, 150, 0.875, 162,
                                 WindowCause::growth},
                      GrowthCase{"AtLeastOnePoint", 160, 150, 0.99, 161, WindowCause::growth},
                      GrowthCase{"AtTheLimitNothing", 160, 150, 1.0, 160, std::nullopt},
                      GrowthCase{"ClampedToMaximum", 395, 150, 0, 400, WindowCause::growth},
                      GrowthCase{"AtMaximumNothing", 400, 150, 0, 400, std::nullopt}),
    kGrowthName);

TEST(WindowAdaptiveGrowth, SlowStartThenStepsOncePerRound) {
  Window window = adaptive_below(10, 60);
  std::vector<std::int64_t> sizes;
  for (int second = 1; second <= 75; ++second) {
    const std::int64_t before = window.size();
    window.observe(second, window.size(), {green(0.2)}, kRefused);
    if (window.size() != before) {
      EXPECT_EQ(second % 15, 0) << second;
    }
    if (second % 15 == 0) sizes.push_back(window.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{20, 40, 60, 70, 80}));
}

TEST(WindowAdaptiveGrowth, WorstCongestionSensorLimitsIt) {
  Window window = adaptive_below(160, 150);
  window.observe(15, 160, {green(0), green(0.75, "memory"), green(0.6, "io")}, kRefused);
  EXPECT_EQ(window.size(), 165);
}

TEST(WindowAdaptiveGrowth, GatesHaveNoPartInTheHeadroom) {
  Window window = adaptive_below(160, 150);
  window.observe(15, 160, {green(0), green_gate(0.99)}, kRefused);
  EXPECT_EQ(window.size(), 170);
}

struct WantedCase {
  const char* name;
  std::int64_t usage;
  Demand demand;
  bool grows;
};

void PrintTo(const WantedCase& given, std::ostream* out) { *out << given.name; }

class WindowAdaptiveWanted : public ::testing::TestWithParam<WantedCase> {};

TEST_P(WindowAdaptiveWanted, AtTheEndOfARound) {
  Window window = adaptive_below(160, 150);
  window.observe(15, GetParam().usage, {green(0)}, GetParam().demand);
  EXPECT_EQ(window.size() > 160, GetParam().grows);
}

INSTANTIATE_TEST_SUITE_P(All, WindowAdaptiveWanted,
                         ::testing::Values(WantedCase{"Refused", 100, kRefused, true},
                                           WantedCase{"RefusedAndGone", 100, {true, false}, true},
                                           WantedCase{"FourFifthsAndPending", 128, kPending, true},
                                           WantedCase{"BelowFourFifths", 127, kPending, false},
                                           WantedCase{"NothingPends", 160, kNothing, false}),
                         kGrowthName);

TEST(WindowAdaptiveGrowth, RefusalEarlierInTheRoundCounts) {
  Window window = adaptive_below(160, 150);
  window.observe(3, 160, {green(0)}, kRefused);
  window.observe(15, 40, {green(0)}, kNothing);
  EXPECT_EQ(window.size(), 170);
}

TEST(WindowAdaptiveGrowth, RefusalOfAnEarlierRoundDoesNot) {
  Window window = adaptive_below(160, 150);
  window.observe(3, 160, {green(0)}, kRefused);
  window.observe(15, 40, {green(0)}, kNothing);
  window.observe(30, 40, {green(0)}, kNothing);
  EXPECT_EQ(window.size(), 170);
}

TEST(WindowAdaptiveGrowth, NeedsEveryReadingToBeFresh) {
  Window window = adaptive_below(160, 150);
  window.observe(15, 160, {green(0), stale(0)}, kRefused);
  EXPECT_EQ(window.size(), 160);
  window.observe(30, 160, {green(0), green(0, "memory")}, kRefused);
  EXPECT_EQ(window.size(), 170);
}

TEST(WindowAdaptiveGrowth, GateFreezesAndDoesNotCut) {
  Window window = adaptive_below(160, 150);
  for (int second = 1; second <= 600; ++second) {
    const WindowStep step = window.observe(second, 160, {red(3), red_gate(1)}, kRefused);
    ASSERT_EQ(window.size(), 160) << second;
    ASSERT_FALSE(step.cause) << second;
  }
  EXPECT_EQ(window.threshold(), 150);
  window.observe(601, 160, {green(0), green_gate(0)}, kRefused);
  EXPECT_EQ(window.size(), 170);
}

TEST(WindowAdaptiveGrowth, PauseDoesNotCollapseTheWindow) {
  Window window = adaptive_below(160, 150);
  for (int second = 1; second <= 300; ++second) {
    window.observe(second, 0, {green(0), red_gate(1, "pause")}, kPending);
  }
  EXPECT_EQ(window.size(), 160);
}

TEST(WindowAdaptiveIdle, GoesBackToInitialAndKeepsTheThreshold) {
  Window window = adaptive_below(300, 200);
  window.observe(1, 10, {green(0)});
  window.observe(2, 0, {green(0)});
  EXPECT_FALSE(window.observe(601, 0, {green(0)}).cause);
  EXPECT_EQ(window.size(), 300);
  EXPECT_EQ(window.observe(602, 0, {green(0)}).cause, WindowCause::idle_restart);
  EXPECT_EQ(window.size(), 10);
  EXPECT_EQ(window.threshold(), 200);
}

TEST(WindowAdaptiveIdle, AnyUsageStartsTheTimeAgain) {
  Window window = adaptive_below(300, 200);
  window.observe(0, 0, {green(0)});
  window.observe(599, 10, {green(0)});
  window.observe(600, 0, {green(0)});
  window.observe(1199, 0, {green(0)});
  EXPECT_EQ(window.size(), 300);
  window.observe(1200, 0, {green(0)});
  EXPECT_EQ(window.size(), 10);
}

TEST(WindowAdaptiveIdle, NeverRaisesASmallerWindow) {
  Window window = open(Law::adaptive, 100);
  window.state.size = Points{40};
  window.observe(0, 0, {green(0)});
  EXPECT_FALSE(window.observe(700, 0, {green(0)}).cause);
  EXPECT_EQ(window.size(), 40);
}

}  // namespace
}  // namespace sluice::window_test

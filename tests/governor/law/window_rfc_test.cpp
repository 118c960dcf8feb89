#include <gtest/gtest.h>

#include <ostream>

#include "window_script.h"

namespace sluice::window_test {
namespace {

Window rfc(std::int64_t size) { return open(Law::rfc, size); }

TEST(WindowRfc, StartsAtInitial) { EXPECT_EQ(rfc(70).size(), 70); }

struct RfcCase {
  const char* name;
  std::int64_t size, usage;
  std::vector<JudgedSensor> sensors;
  std::int64_t expected;
  std::optional<WindowCause> cause;
};

void PrintTo(const RfcCase& given, std::ostream* out) { *out << given.name; }

class WindowRfcTable : public ::testing::TestWithParam<RfcCase> {};

TEST_P(WindowRfcTable, OneLook) {
  const RfcCase& given = GetParam();
  Window window = rfc(given.size);
  const WindowStep step = window.observe(1, given.usage, given.sensors, kRefused);
  EXPECT_EQ(window.size(), given.expected);
  EXPECT_EQ(step.cause, given.cause);
}

const std::optional<WindowCause> kNoChange;

INSTANTIATE_TEST_SUITE_P(
    Growth, WindowRfcTable,
    ::testing::Values(
        RfcCase{"FullWindowGrowsByOneStep", 100, 100, {green(0)}, 110, WindowCause::growth},
        RfcCase{"HeadroomDoesNotMatter", 100, 100, {green(0.99)}, 110, WindowCause::growth},
        RfcCase{"ExactlyFourFifthsIsNotAbove", 100, 80, {green(0)}, 100, kNoChange},
        RfcCase{"ExactlyFourFifthsOfThirty", 30, 24, {green(0)}, 30, kNoChange},
        RfcCase{"OnePointAboveFourFifths", 100, 81, {green(0)}, 110, WindowCause::growth},
        RfcCase{"UsageAboveSizeGrowsToo", 20, 40, {green(0)}, 30, WindowCause::growth},
        RfcCase{"OneJobOf15In20NeverGrows", 20, 15, {green(0)}, 20, kNoChange},
        RfcCase{"ClampedToMaximum", 395, 395, {green(0)}, 400, WindowCause::growth},
        RfcCase{"AtMaximumNothingChanges", 400, 400, {green(0)}, 400, kNoChange},
        RfcCase{"NoSensorsAtAllIsGreen", 100, 100, {}, 110, WindowCause::growth},
        RfcCase{"StaleReadingDoesNotGrow", 100, 100, {green(0), stale(0)}, 100, kNoChange}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Cut, WindowRfcTable,
    ::testing::Values(
        RfcCase{"OneStepBelowUsage", 100, 90, {red(1)}, 80, WindowCause::red},
        RfcCase{"AllOfItAtOnceWhereUsageIsLow", 100, 35, {red(1)}, 25, WindowCause::red},
        RfcCase{"ExcessDoesNotMatter", 100, 90, {red(9)}, 80, WindowCause::red},
        RfcCase{"RedByHysteresis", 100, 90, {red(0.95)}, 80, WindowCause::red},
        RfcCase{"NeverAboveSize", 50, 90, {red(1)}, 50, kNoChange},
        RfcCase{"AGateThatCannotBeReadFreezes", 100, 90, {blind_gate()}, 100, kNoChange},
        RfcCase{"ClampedToMinimum", 100, 15, {red(1)}, 10, WindowCause::red},
        RfcCase{"NothingRunsAndStillNotBelowMinimum", 100, 0, {red(1)}, 10, WindowCause::red},
        RfcCase{"OneRedAmongGreen", 100, 90, {green(0), red(1, "memory")}, 80, WindowCause::red},
        RfcCase{"StaleReadingsDoNotStopACut", 100, 90, {stale(0), red(1)}, 80, WindowCause::red},
        RfcCase{"EveryGateMovesTheWindow", 100, 90, {red_gate(1)}, 80, WindowCause::red},
        RfcCase{"PauseFreezes", 100, 90, {red_gate(1, "pause")}, 100, kNoChange},
        RfcCase{
            "PauseFreezesWhileLoadIsRed", 100, 90, {red(2), red_gate(1, "pause")}, 100, kNoChange},
        RfcCase{"PauseFreezesGrowthToo", 100, 100, {red_gate(1, "pause")}, 100, kNoChange}),
    [](const auto& test) { return test.param.name; });

TEST(WindowRfc, ActsAtEveryLook) {
  Window window = rfc(100);
  for (const std::int64_t expected : {110, 120, 130}) {
    window.observe(1, window.size(), {green(0)});
    EXPECT_EQ(window.size(), expected);
  }
  for (const std::int64_t expected : {120, 110, 100}) {
    window.observe(1, window.size(), {red(1)});
    EXPECT_EQ(window.size(), expected);
  }
}

TEST(WindowRfc, NeedsNothingToWaitForGrowth) {
  Window window = rfc(100);
  EXPECT_EQ(window.observe(1, 100, {green(0)}, kNothing).cause, WindowCause::growth);
}

TEST(WindowRfc, JobsOf15NeverOutgrowAWindowOf20) {
  Window window = rfc(20);
  for (int second = 1; second <= 24 * 3600; ++second)
    window.observe(second, 15, {green(0)}, kRefused);
  EXPECT_EQ(window.size(), 20);
}

TEST(WindowRfc, AdaptiveOutgrowsTheSameWindow) {
  Window window = open(Law::adaptive, 20);
  for (int second = 1; second <= 60; ++second) window.observe(second, 15, {green(0)}, kRefused);
  EXPECT_GE(window.size(), 30);
}

TEST(WindowRfc, NamesTheWorstRedSensor) {
  Window window = rfc(100);
  const WindowStep step =
      window.observe(1, 90, {red(1.1, "load"), red(1.4, "memory"), green(0.9, "pids")});
  EXPECT_EQ(step.sensor, "memory");
}

TEST(WindowRfc, DoesNotRestartWhenIdle) {
  Window window = rfc(100);
  window.state.size = Points{300};
  for (int second = 1; second <= 3600; ++second) window.observe(second, 0, {green(0)});
  EXPECT_EQ(window.size(), 300);
}

}  // namespace
}  // namespace sluice::window_test

#include "service/daemon/stop_drain.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TimePoint kBegan{hours(1)};

TEST(StopDrain, IsOverAtOnceWhereNothingRuns) {
  EXPECT_TRUE(StopDrain(hours(1), kBegan).poll(0, kBegan).is_over);
  EXPECT_TRUE(StopDrain(seconds(0), kBegan).poll(3, kBegan).is_over);
}

TEST(StopDrain, WaitsForTheLastJob) {
  StopDrain drain(hours(1), kBegan);
  EXPECT_EQ(drain.poll(2, kBegan).told, "draining: 2 jobs of its own run, ends within 1 h 00 min");
  EXPECT_FALSE(drain.poll(2, kBegan + minutes(59)).is_over);
  EXPECT_TRUE(drain.poll(0, kBegan + minutes(59)).is_over);
}

TEST(StopDrain, WaitsNoLongerThanItMay) {
  StopDrain drain(minutes(10), kBegan);
  EXPECT_FALSE(drain.poll(1, kBegan + minutes(10) - seconds(1)).is_over);
  EXPECT_TRUE(drain.poll(1, kBegan + minutes(10)).is_over);
}

TEST(StopDrain, RoundsTheTimeThatIsLeftUp) {
  const auto told = [](Duration longest) {
    return StopDrain(longest, kBegan).poll(1, kBegan).told.value_or("");
  };
  EXPECT_EQ(told(seconds(8)), "draining: 1 job of its own runs, ends within 8 s");
  EXPECT_EQ(told(std::chrono::milliseconds(1)), "draining: 1 job of its own runs, ends within 1 s");
  EXPECT_EQ(told(seconds(90)), "draining: 1 job of its own runs, ends within 1 min 30 s");
  EXPECT_EQ(told(seconds(150)), "draining: 1 job of its own runs, ends within 2 min 30 s");
}

TEST(StopDrain, TellsAtOnceWhatHasChangedAndOtherwiseInGoodTime) {
  StopDrain drain(hours(1), kBegan);
  TimePoint last = kBegan;
  EXPECT_TRUE(drain.poll(2, last).told);
  int told = 0;
  for (int second = 1; second <= 60; ++second) {
    const TimePoint now = kBegan + seconds(second);
    if (!drain.poll(2, now).told) continue;
    ++told;
    EXPECT_LT(now - last, StopDrain::kExtension / 2);
    last = now;
  }
  EXPECT_EQ(told, 6);
  EXPECT_EQ(drain.poll(1, last + seconds(1)).told,
            "draining: 1 job of its own runs, ends within 58 min 59 s");
  EXPECT_FALSE(drain.poll(1, last + seconds(2)).told);
}

}  // namespace
}  // namespace sluice

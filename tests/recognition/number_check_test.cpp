#include "recognition/number_check.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sluice::testing {
namespace {

using std::chrono::milliseconds;

FitAnswer known(std::size_t jobs) { return {jobs, "memory", "key", {}, {}}; }

TEST(NumberCheck, SaysOnceThatFewerFit) {
  NumberCheck check(100);
  EXPECT_EQ(check.observe_fit(known(9), 3), 12u);
  EXPECT_EQ(check.observe_fit(known(9), 3), std::nullopt);
  EXPECT_FALSE(check.is_due(TimePoint{milliseconds(10000)}));
}

TEST(NumberCheck, SaysNothingWhereTheNumberFitsOrNothingIsKnown) {
  NumberCheck check(12);
  EXPECT_EQ(check.observe_fit({3, "memory", "prior", {}, {}}, 3), std::nullopt);
  EXPECT_EQ(check.observe_fit(known(9), 3), std::nullopt);
  EXPECT_EQ(check.observe_fit(known(8), 3), 11u);
}

TEST(NumberCheck, TakesOneForNoneWhereOthersRun) {
  EXPECT_EQ(NumberCheck(8).observe_fit(known(1), 3), 3u);
  EXPECT_EQ(NumberCheck(8).observe_fit(known(1), 0), 1u);
}

TEST(NumberCheck, AsksTwiceASecond) {
  NumberCheck check(8);
  const TimePoint start{milliseconds(5000)};
  EXPECT_TRUE(check.is_due(start));
  EXPECT_FALSE(check.is_due(start + milliseconds(499)));
  EXPECT_TRUE(check.is_due(start + milliseconds(500)));
  EXPECT_FALSE(NumberCheck(0).is_due(start)) << "nobody wrote a number";
}

}  // namespace
}  // namespace sluice::testing

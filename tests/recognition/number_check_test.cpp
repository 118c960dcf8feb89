#include "recognition/number_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace sluice::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{seconds(5)};

FitAnswer known(std::size_t jobs) { return {jobs, "memory", "key", {}, {}}; }
FitAnswer assumed(std::size_t jobs) { return {jobs, "memory", "prior", {}, {}}; }

/// The number that fits, where something is known.
std::optional<std::size_t> known_fit(NumberCheck& check, std::size_t jobs, std::size_t running) {
  const auto fitting = check.observe_fit(known(jobs), running, kStart);
  if (!fitting) return std::nullopt;
  EXPECT_EQ(fitting->by, FittingJobs::By::runs);
  return fitting->jobs;
}

TEST(NumberCheck, SaysOnceThatFewerFit) {
  NumberCheck check(100);
  EXPECT_EQ(known_fit(check, 9, 3), 12u);
  EXPECT_EQ(known_fit(check, 9, 3), std::nullopt);
  EXPECT_FALSE(check.is_due(TimePoint{milliseconds(10000)}));
}

TEST(NumberCheck, SaysNothingWhereTheNumberFitsOrNothingIsKnown) {
  NumberCheck check(12);
  EXPECT_TRUE(check.is_due(kStart));
  EXPECT_FALSE(check.observe_fit(assumed(3), 3, kStart));
  EXPECT_EQ(known_fit(check, 9, 3), std::nullopt);
  EXPECT_EQ(known_fit(check, 8, 3), 11u);
}

TEST(NumberCheck, TakesOneForNoneWhereOthersRun) {
  NumberCheck beside_three(8), alone(8);
  EXPECT_EQ(known_fit(beside_three, 1, 3), 3u);
  EXPECT_EQ(known_fit(alone, 1, 0), 1u);
}

TEST(NumberCheck, AsksTwiceASecond) {
  NumberCheck check(8);
  EXPECT_TRUE(check.is_due(kStart));
  EXPECT_FALSE(check.is_due(kStart + milliseconds(499)));
  EXPECT_TRUE(check.is_due(kStart + milliseconds(500)));
  EXPECT_FALSE(NumberCheck(0).is_due(kStart)) << "nobody wrote a number";
}

/// Asked four times a second, as `BuildWatch` does from the first held process on. The daemon takes
/// a quarter of a second for each answer. For ten seconds.
std::optional<TimePoint> said_at(NumberCheck& check, const FitAnswer& answer,
                                 TimePoint from = kStart) {
  for (TimePoint now = from; now < from + seconds(10); now += milliseconds(250)) {
    if (!check.is_due(now)) continue;
    if (check.observe_fit(answer, 2, now + milliseconds(250))) return now + milliseconds(250);
  }
  return std::nullopt;
}

TEST(NumberCheck, SaysWithinTwoSecondsThatFewerFitAlsoWhereNothingIsKnown) {
  NumberCheck of_known(100), of_unknown(100);
  EXPECT_LE(said_at(of_known, known(9)).value_or(TimePoint::max()), kStart + milliseconds(250));
  EXPECT_LE(said_at(of_unknown, assumed(3)).value_or(TimePoint::max()), kStart + seconds(2));
}

TEST(NumberCheck, SaysWhatItAssumesOnceAndThenWhatIsKnown) {
  NumberCheck check(100);
  ASSERT_TRUE(said_at(check, assumed(3)));
  EXPECT_FALSE(said_at(check, assumed(3), kStart + seconds(10)));
  EXPECT_TRUE(said_at(check, known(9), kStart + seconds(20)));
  EXPECT_FALSE(said_at(check, known(9), kStart + seconds(30)));
}

TEST(NumberCheck, AssumesNothingOnceSomethingIsKnown) {
  NumberCheck check(100);
  EXPECT_TRUE(check.is_due(kStart));
  EXPECT_EQ(known_fit(check, 9, 3), 12u);
  EXPECT_FALSE(check.observe_fit(assumed(3), 3, kStart + seconds(2)));
}

}  // namespace
}  // namespace sluice::testing

#include "sensors/pressure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "sluice/reading.h"

namespace sluice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
const double kJustBelowOne = std::nextafter(1.0, 0.0);

TEST(PressureAtMost, IsTheQuotientBelowTheLimit) {
  EXPECT_DOUBLE_EQ(pressure_at_most(2, 5, AtLimit::allowed), 0.4);
  EXPECT_DOUBLE_EQ(pressure_at_most(2, 5, AtLimit::red), 0.4);
  EXPECT_DOUBLE_EQ(pressure_at_most(7.5, 5, AtLimit::allowed), 1.5);
}

TEST(PressureAtMost, IsJustBelowOneAtAnAllowedLimitAndOneAtARedOne) {
  EXPECT_EQ(pressure_at_most(5, 5, AtLimit::allowed), kJustBelowOne);
  EXPECT_EQ(pressure_at_most(5, 5, AtLimit::red), 1);
}

TEST(PressureAtMost, StaysWithinItsRange) {
  EXPECT_EQ(pressure_at_most(-3, 5, AtLimit::red), 0);
  EXPECT_EQ(pressure_at_most(1e9, 5, AtLimit::red), kMostPressure);
  EXPECT_EQ(pressure_at_most(1, 0, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_most(0, 0, AtLimit::allowed), kJustBelowOne);
  EXPECT_EQ(pressure_at_most(0, 0, AtLimit::red), 1);
}

TEST(PressureAtMost, NoNumberNeverLooksLikeRoomAndAnInfiniteLimitAlwaysDoes) {
  EXPECT_EQ(pressure_at_most(kNothing, 5, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_most(1, kNothing, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_most(kInfinity, 5, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_most(1, kInfinity, AtLimit::allowed), 0);
}

TEST(PressureAtLeast, IsTheQuotientAboveTheLimit) {
  EXPECT_DOUBLE_EQ(pressure_at_least(0.5, 0.05, AtLimit::allowed), 0.1);
  EXPECT_DOUBLE_EQ(pressure_at_least(0.04, 0.05, AtLimit::allowed), 1.25);
}

TEST(PressureAtLeast, NothingLeftReadsAHundred) {
  EXPECT_EQ(pressure_at_least(0, 0.05, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_least(-1, 0.05, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_least(0, 0, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_least(1e-12, 0.05, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_least(kNothing, 0.05, AtLimit::allowed), kMostPressure);
  EXPECT_EQ(pressure_at_least(0.5, kNothing, AtLimit::allowed), kMostPressure);
}

TEST(PressureAtLeast, WithoutALimitWhatIsLeftIsEnough) {
  EXPECT_EQ(pressure_at_least(0.001, 0, AtLimit::allowed), 0);
  EXPECT_EQ(pressure_at_least(0.001, 0, AtLimit::red), 0);
}

double just_above(double number) { return std::nextafter(number, kInfinity); }
double just_below(double number) { return std::nextafter(number, -kInfinity); }

TEST(PressureProperties, GreenAtTheLimitAndRedJustBeyondIt) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> positive(0, 8);
  for (int i = 0; i < 100'000; ++i) {
    const double limit = positive(random);
    EXPECT_EQ(pressure_at_most(limit, limit, AtLimit::allowed), kJustBelowOne);
    EXPECT_EQ(pressure_at_most(limit, limit, AtLimit::red), 1);
    EXPECT_LT(pressure_at_most(just_below(limit), limit, AtLimit::red), 1);
    EXPECT_GE(pressure_at_most(just_above(limit), limit, AtLimit::allowed), 1);
    EXPECT_EQ(pressure_at_least(limit, limit, AtLimit::allowed), kJustBelowOne);
    EXPECT_EQ(pressure_at_least(limit, limit, AtLimit::red), 1);
    EXPECT_LT(pressure_at_least(just_above(limit), limit, AtLimit::red), 1);
    EXPECT_GE(pressure_at_least(just_below(limit), limit, AtLimit::allowed), 1);
    if (::testing::Test::HasFailure()) FAIL() << "limit " << limit;
  }
}

TEST(PressureProperties, MoreUseNeverMeansLessPressure) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> positive(0, 4);
  for (int i = 0; i < 100'000; ++i) {
    const double limit = positive(random);
    const double one = positive(random);
    const double other = positive(random);
    const double less = std::min(one, other);
    const double more = std::max(one, other);
    for (const AtLimit at : {AtLimit::allowed, AtLimit::red}) {
      ASSERT_LE(pressure_at_most(less, limit, at), pressure_at_most(more, limit, at));
      ASSERT_GE(pressure_at_least(less, limit, at), pressure_at_least(more, limit, at));
    }
  }
}

TEST(PressureProperties, AnyTwoNumbersGiveAPressureWithinItsRange) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<std::uint64_t> bits;
  const auto any = [&] {
    const std::uint64_t pattern = bits(random);
    double number;
    static_assert(sizeof number == sizeof pattern);
    std::memcpy(&number, &pattern, sizeof number);
    return pattern % 7 == 0 ? 0.0 : pattern % 11 == 0 ? kInfinity : number;
  };
  for (int i = 0; i < 200'000; ++i) {
    const double a = any();
    const double b = any();
    for (const AtLimit at : {AtLimit::allowed, AtLimit::red}) {
      for (const double p : {pressure_at_most(a, b, at), pressure_at_least(a, b, at)}) {
        ASSERT_TRUE(p >= 0 && p <= kMostPressure) << a << " " << b << " gives " << p;
      }
    }
  }
}

TEST(SettleWorst, PicksTheFirstOfTheLargestAndStandsEmptyReadings) {
  Reading reading;
  settle_worst(reading);
  EXPECT_EQ(reading.pressure(), 0);
  reading.conditions = {{"a", 0, {}, {}, Unit::ratio, 0.5},
                        {"b", 0, {}, {}, Unit::ratio, 0.9},
                        {"c", 0, {}, {}, Unit::ratio, 0.9}};
  settle_worst(reading);
  EXPECT_EQ(reading.worst, 1u);
  EXPECT_EQ(reading.pressure(), 0.9);
}

}  // namespace
}  // namespace sluice

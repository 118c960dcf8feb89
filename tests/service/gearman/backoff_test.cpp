#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "service/gearman/link.h"

namespace sluice::gearman {
namespace {
using namespace std::chrono_literals;

TEST(GearmanBackoff, StaysBetweenTheHalfAndTheWholeOfWhatDoubles) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (std::uint64_t failures = 1; failures < 70; ++failures) {
      const auto doublings = std::min<std::uint64_t>(failures - 1, 20);
      const Duration whole = std::min<Duration>(100ms * (1LL << doublings), 30s);
      const Duration delay = reconnect_delay(failures, seed);
      ASSERT_GE(delay, whole / 2) << failures << " failures, seed " << seed;
      ASSERT_LE(delay, whole) << failures << " failures, seed " << seed;
    }
  }
}

TEST(GearmanBackoff, SpreadsThoseWhoLostTheirServerTogether) {
  for (const std::uint64_t failures : {1U, 4U, 50U}) {
    Duration total{0};
    std::set<Duration> delays;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      delays.insert(reconnect_delay(failures, seed));
      total += reconnect_delay(failures, seed);
    }
    EXPECT_GT(delays.size(), 990U);
    const double mean = static_cast<double>(total.count()) / 1000;
    const double middle = static_cast<double>((*delays.begin() + *delays.rbegin()).count()) / 2;
    EXPECT_NEAR(mean / middle, 1, 0.05) << failures;
  }
}

TEST(GearmanBackoff, DrawsAnewAtEachFailure) {
  EXPECT_NE(reconnect_delay(20, 7), reconnect_delay(21, 7));
  EXPECT_EQ(reconnect_delay(20, 7), reconnect_delay(20, 7));
}

TEST(GearmanBackoff, TakesNoFailureAtAllForTheFirst) {
  EXPECT_LE(reconnect_delay(0, 1), 100ms);
  EXPECT_GE(reconnect_delay(0, 1), 50ms);
}

}  // namespace
}  // namespace sluice::gearman

#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace sluice {
namespace {

TEST(Clock, CountsSeconds) {
  EXPECT_EQ(seconds(std::chrono::milliseconds(1500)), 1.5);
  EXPECT_EQ(seconds(Duration{0}), 0);
  EXPECT_EQ(seconds(std::chrono::minutes(-1)), -60);
}

TEST(Clock, TakesSeconds) {
  EXPECT_EQ(from_seconds(1.5), std::chrono::milliseconds(1500));
  EXPECT_EQ(from_seconds(-60), std::chrono::minutes(-1));
  EXPECT_EQ(from_seconds(1.9e-9), Duration(1));
}

TEST(Clock, CountsFrom1970) {
  const auto before = static_cast<std::int64_t>(std::time(nullptr)) - 1;
  const std::int64_t whole = unix_seconds();
  const double exact = unix_now();
  EXPECT_GE(whole, before);
  EXPECT_GE(exact, static_cast<double>(whole));
  EXPECT_LE(exact, static_cast<double>(std::time(nullptr) + 2));
}

}  // namespace
}  // namespace sluice

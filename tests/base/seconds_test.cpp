#include "base/seconds.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Seconds, OfADuration) {
  EXPECT_EQ(to_seconds(std::chrono::milliseconds(1500)), 1.5);
  EXPECT_EQ(to_seconds(Duration{0}), 0);
  EXPECT_EQ(to_seconds(std::chrono::minutes(-1)), -60);
}

TEST(Seconds, MakeADuration) {
  EXPECT_EQ(from_seconds(1.5), std::chrono::milliseconds(1500));
  EXPECT_EQ(from_seconds(-60), std::chrono::minutes(-1));
  EXPECT_EQ(from_seconds(1.9e-9), Duration(1));
}

}  // namespace
}  // namespace sluice

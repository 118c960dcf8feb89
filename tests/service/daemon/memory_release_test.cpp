#include "service/daemon/memory_release.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(MemoryRelease, IsDueOnceHalfOfALoadPeakHasGone) {
  MemoryRelease release;
  EXPECT_FALSE(release.is_due(10'000));
  EXPECT_FALSE(release.is_due(10'000));
  EXPECT_FALSE(release.is_due(5'000)) << "they are still leaving";
  EXPECT_TRUE(release.is_due(5'000));
  EXPECT_FALSE(release.is_due(5'000)) << "released already";
}

TEST(MemoryRelease, IsNotDueWhileMoreThanHalfIsThere) {
  MemoryRelease release;
  EXPECT_FALSE(release.is_due(10'000));
  EXPECT_FALSE(release.is_due(5'001));
  EXPECT_FALSE(release.is_due(5'001));
}

TEST(MemoryRelease, IsNeverDueForFewJobs) {
  MemoryRelease release;
  EXPECT_FALSE(release.is_due(2'047));
  EXPECT_FALSE(release.is_due(1));
  EXPECT_FALSE(release.is_due(1));
}

}  // namespace
}  // namespace sluice

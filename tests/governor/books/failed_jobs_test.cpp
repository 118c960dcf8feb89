#include "governor/books/failed_jobs.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(FailedJobs, AreKnownInWhateverOrderTheyEnd) {
  FailedJobs failed;
  for (const std::uint64_t number : {7, 3, 9, 3, 1}) failed.insert(JobId{number});
  for (const std::uint64_t number : {1, 3, 7, 9}) EXPECT_TRUE(failed.contains(JobId{number}));
  for (const std::uint64_t number : {0, 2, 8, 10}) EXPECT_FALSE(failed.contains(JobId{number}));
}

TEST(FailedJobs, TheLastOnesAreRememberedAndTheRestForgottenInTheEnd) {
  FailedJobs failed;
  constexpr std::uint64_t kMany = 5 * kRememberedFailures;
  for (std::uint64_t number = 1; number <= kMany; ++number) {
    failed.insert(JobId{number});
    ASSERT_TRUE(failed.contains(JobId{number}));
    if (number <= kRememberedFailures) continue;
    ASSERT_TRUE(failed.contains(JobId{number - kRememberedFailures + 1}));
  }
  EXPECT_FALSE(failed.contains(JobId{1}));
  EXPECT_FALSE(failed.contains(JobId{kMany - 2 * kRememberedFailures}));
}

}  // namespace
}  // namespace sluice

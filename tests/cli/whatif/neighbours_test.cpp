#include "cli/whatif/neighbours.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

constexpr Bytes kGibibyte{1ULL << 30};

TEST(Neighbours, UseWhatWasBusyAndNoJobUsed) {
  const std::vector<BusyFrom> busy{{0s, 2, 0, {}}, {60s, 0.5, 0, {}}};
  const std::vector<UsedFrom> jobs{{0s, 60s, 1.25}};
  const auto neighbours = neighbours_of(busy, jobs, 120s);
  ASSERT_EQ(neighbours.size(), 2U);
  EXPECT_EQ(neighbours[0].from, 0s);
  EXPECT_EQ(neighbours[0].until, 60s);
  EXPECT_DOUBLE_EQ(neighbours[0].threads, 0.75);
  EXPECT_EQ(neighbours[1].from, 60s);
  EXPECT_EQ(neighbours[1].until, 120s);
  EXPECT_DOUBLE_EQ(neighbours[1].threads, 0.5);
}

TEST(Neighbours, OfABusyMachineHaveTheTasksThatWaitedToo) {
  // Two CPUs, on which five tasks of others and one job take turns.
  const std::vector<BusyFrom> busy{{0s, 2, 4, {}}};
  const auto neighbours = neighbours_of(busy, std::vector<UsedFrom>{{0s, 100s, 1}}, 100s);
  ASSERT_EQ(neighbours.size(), 1U);
  EXPECT_DOUBLE_EQ(neighbours[0].threads, 5);
}

TEST(Neighbours, AreNoneIfTheJobsUsedItAll) {
  const std::vector<BusyFrom> busy{{0s, 1.9, 0, {}}};
  const std::vector<UsedFrom> jobs{{0s, 100s, 1}, {0s, 100s, 1}};
  EXPECT_TRUE(neighbours_of(busy, jobs, 100s).empty());
}

TEST(Neighbours, HoldTheMemoryOfOthers) {
  const std::vector<BusyFrom> busy{{0s, 0, 0, kGibibyte}};
  const auto neighbours = neighbours_of(busy, {}, 100s);
  ASSERT_EQ(neighbours.size(), 1U);
  EXPECT_EQ(neighbours[0].memory, kGibibyte);
  EXPECT_DOUBLE_EQ(neighbours[0].threads, 0);
}

TEST(Neighbours, AreMeansOfAMinuteOverALongTime) {
  std::vector<BusyFrom> busy;
  for (int second = 0; second < 36000; ++second) {
    busy.push_back({std::chrono::seconds(second), second % 2 == 0 ? 2.0 : 0.0, 0, {}});
  }
  const auto neighbours = neighbours_of(busy, {}, 10h);
  ASSERT_EQ(neighbours.size(), 1U);
  EXPECT_NEAR(neighbours[0].threads, 1, 1e-9);
}

}  // namespace
}  // namespace sluice::cli

#include "service/lease_trees.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "service/most_used.h"

namespace sluice {
namespace {
using namespace std::chrono_literals;

ProcessFacts process(pid_t pid, pid_t parent, pid_t group = 1, pid_t session = 1) {
  ProcessFacts facts;
  facts.pid = pid;
  facts.parent = parent;
  facts.group = group;
  facts.session = session;
  facts.state = 'S';
  return facts;
}

std::vector<pid_t> numbers(const std::vector<ProcessFacts>& tree) {
  std::vector<pid_t> pids;
  for (const ProcessFacts& each : tree) pids.push_back(each.pid);
  return pids;
}

using Pids = std::vector<pid_t>;

TEST(LeaseTrees, AProcessCountsForItsNearestRootOnly) {
  const std::vector<ProcessFacts> all{process(1, 0),   process(10, 1),  process(11, 10),
                                      process(20, 11), process(21, 20), process(30, 1)};
  const auto trees = trees_of(all, {10, 20});
  ASSERT_EQ(trees.size(), 2U);
  EXPECT_EQ(numbers(trees.at(10)), (Pids{10, 11}));
  EXPECT_EQ(numbers(trees.at(20)), (Pids{20, 21})) << "a lease within another's tree";
}

TEST(LeaseTrees, AnOrphanCountsByItsGroupElseItsSessionButAnAncestorComesFirst) {
  const std::vector<ProcessFacts> all{process(10, 1, 10, 10),  process(12, 1, 10, 10),
                                      process(13, 12, 13, 13), process(14, 1, 14, 10),
                                      process(20, 10, 10, 10), process(21, 20, 10, 10)};
  const auto trees = trees_of(all, {10, 20});
  EXPECT_EQ(numbers(trees.at(10)), (Pids{10, 12, 13, 14}));
  EXPECT_EQ(numbers(trees.at(20)), (Pids{20, 21}));
}

TEST(LeaseTrees, ACircleOfParentsEnds) {
  EXPECT_TRUE(trees_of({process(2, 3), process(3, 2)}, {10}).empty());
}

TEST(LeaseTrees, JobsOfOneProcessShareWhatItHolds) {
  LeaseTrees trees({});
  trees.begin(JobId{1}, getpid());
  const TimePoint now = Clock::now();
  const auto alone = trees.held(JobId{1}, now);
  ASSERT_TRUE(alone);
  trees.begin(JobId{2}, getpid());
  EXPECT_EQ(trees.held(JobId{1}, now)->value, alone->value / 2);
  EXPECT_EQ(trees.held(JobId{2}, now)->value, alone->value / 2);
  trees.over(JobId{2});
  EXPECT_EQ(trees.held(JobId{1}, now), alone);
}

TEST(LeaseTrees, AllTogetherHoldNoMoreThanIsInUse) {
  LeaseTrees trees([](TimePoint) {
    return std::vector<MemoryLimit>{{"host", Bytes{1 << 30}, Bytes{1000}}};
  });
  trees.begin(JobId{1}, getpid());
  EXPECT_LE(trees.held(JobId{1}, Clock::now())->value, 1000U);
}

TEST(LeaseTrees, WhatCannotBeSeenHoldsNothingThatIsKnown) {
  LeaseTrees trees({});
  EXPECT_FALSE(trees.held(JobId{1}, Clock::now()));
  trees.begin(JobId{1}, 1 << 30);
  EXPECT_FALSE(trees.held(JobId{1}, Clock::now()));
}

TEST(MostUsed, AReportIsBoundedByWhatCanBeTrue) {
  JobUsage usage;
  usage.wall = 1000h;
  usage.cpu = 1000h;
  usage.cpu_delay = 1000h;
  usage.memory = usage.peak_memory = Bytes{1ULL << 59};
  usage.oom_kills = 7;
  const JobUsage believed = bounded(usage, {10s, 4, Bytes{1ULL << 34}, 2});
  EXPECT_EQ(believed.wall, 10s);
  EXPECT_EQ(believed.cpu, 40s);
  EXPECT_EQ(believed.cpu_delay, 0s);
  EXPECT_EQ(believed.memory, Bytes{1ULL << 34});
  EXPECT_EQ(believed.peak_memory, Bytes{1ULL << 34});
  EXPECT_EQ(believed.oom_kills, 2U);
}

TEST(MostUsed, CpuTimeIsBoundedByTheWallTimeThatIsToldElseByTheAge) {
  JobUsage usage;
  usage.wall = 2s;
  usage.cpu = 100s;
  EXPECT_EQ(bounded(usage, {10s, 4, Bytes{1}, {}}).cpu, 8s);
  usage.wall = 0s;
  EXPECT_EQ(bounded(usage, {10s, 4, Bytes{1}, {}}).cpu, 40s);
}

TEST(MostUsed, WhatIsPossibleStaysAsItIs) {
  JobUsage usage;
  usage.wall = 9s;
  usage.cpu = 20s;
  usage.cpu_delay = 5s;
  usage.memory = Bytes{100};
  usage.peak_memory = Bytes{200};
  usage.oom_kills = 1;
  const JobUsage believed = bounded(usage, {10s, 4, Bytes{1000}, {}});
  EXPECT_EQ(believed.wall, usage.wall);
  EXPECT_EQ(believed.cpu, usage.cpu);
  EXPECT_EQ(believed.cpu_delay, usage.cpu_delay);
  EXPECT_EQ(believed.memory, usage.memory);
  EXPECT_EQ(believed.peak_memory, usage.peak_memory);
  EXPECT_EQ(believed.oom_kills, usage.oom_kills);
}

}  // namespace
}  // namespace sluice

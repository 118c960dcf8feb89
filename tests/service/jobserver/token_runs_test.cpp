#include "service/jobserver/token_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::jobserver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kTick = milliseconds(10);
constexpr pid_t kClient = 100;

ClientProcess process(pid_t pid, pid_t parent, const std::string& name, std::uint64_t mebibytes = 1,
                      Duration cpu = Duration{0}) {
  ClientProcess process;
  process.facts.pid = pid;
  process.facts.parent = parent;
  process.facts.state = 'R';
  process.facts.started = 1000;  // 10 s after the boot.
  process.facts.cpu = cpu;
  process.name = name;
  process.memory.own = Bytes{mebibytes << 20};
  return process;
}

const ClientProcess kMake = process(kClient, 1, "make");

std::vector<std::uint64_t> peaks(const std::vector<TokenRuns::Run>& runs) {
  std::vector<std::uint64_t> result;
  for (const auto& run : runs) result.push_back(run.usage.peak_memory.value >> 20);
  return result;
}

TEST(TokenRuns, ARecipeWithAllThatItStartsIsOneRun) {
  TokenRuns runs(1);
  const auto look = runs.sample({kMake, process(101, kClient, "sh", 1), process(102, 101, "g++", 2),
                                 process(103, 102, "cc1plus", 300), process(104, kClient, "sh", 5)},
                                kClient, seconds(12), kTick);
  EXPECT_EQ(peaks(look.alive), (std::vector<std::uint64_t>{303, 5}));
  EXPECT_TRUE(look.ended.empty());
}

TEST(TokenRuns, TellsOfItsEndWithThePeakTheTimeAndTheProcessors) {
  TokenRuns runs(7);
  runs.sample({kMake, process(101, kClient, "cc1plus", 300, seconds(1))}, kClient, seconds(11),
              kTick);
  runs.sample({kMake, process(101, kClient, "cc1plus", 200, seconds(3))}, kClient, seconds(14),
              kTick);
  const auto look = runs.sample({kMake}, kClient, seconds(15), kTick);
  ASSERT_EQ(look.ended.size(), 1u);
  EXPECT_EQ(look.ended[0].number, 7u);
  EXPECT_EQ(look.ended[0].usage.peak_memory, Bytes{300ULL << 20});
  EXPECT_EQ(look.ended[0].usage.wall, seconds(4));
  EXPECT_DOUBLE_EQ(look.ended[0].usage.busy_cores(), 0.75);
  EXPECT_TRUE(look.alive.empty());
}

TEST(TokenRuns, ARunThatHadToShareTheProcessorsNeedsMoreThanItGot) {
  TokenRuns runs(1);
  ClientProcess compiler = process(101, kClient, "cc1plus", 300, seconds(1));
  compiler.times = SchedulerTimes{seconds(1), seconds(3)};
  runs.sample({kMake, compiler}, kClient, seconds(14), kTick);
  const auto look = runs.sample({kMake}, kClient, seconds(15), kTick);
  ASSERT_EQ(look.ended.size(), 1u);
  EXPECT_EQ(look.ended[0].usage.cpu_delay, seconds(3));
  EXPECT_DOUBLE_EQ(look.ended[0].usage.busy_cores(), 1);
}

TEST(TokenRuns, ASleeperThatRanForLessThanATickHasUsedSomeTime) {
  TokenRuns runs(1);
  ClientProcess sleeper = process(101, kClient, "sleep", 1, Duration{0});
  sleeper.times = SchedulerTimes{milliseconds(3), Duration{0}};
  runs.sample({kMake, sleeper}, kClient, seconds(13), kTick);
  const auto look = runs.sample({kMake}, kClient, seconds(14), kTick);
  ASSERT_EQ(look.ended.size(), 1u);
  EXPECT_EQ(look.ended[0].usage.cpu, milliseconds(3));
  EXPECT_DOUBLE_EQ(look.ended[0].usage.busy_cores(), 0.001);
}

TEST(TokenRuns, ARecursiveMakeIsNoneButItsRecipesAre) {
  TokenRuns runs(1);
  const auto look =
      runs.sample({kMake, process(101, kClient, "sh", 1), process(102, 101, "make", 10),
                   process(103, 102, "cc1", 20), process(104, 102, "cc1", 30)},
                  kClient, seconds(12), kTick);
  EXPECT_EQ(peaks(look.alive), (std::vector<std::uint64_t>{20, 30}));
}

TEST(TokenRuns, ALinkThatCallsMakeEndsAndItsPartsBegin) {
  TokenRuns runs(1);
  const auto link = process(101, kClient, "lto-wrapper", 50);
  runs.sample({kMake, link, process(102, 101, "lto1", 200)}, kClient, seconds(12), kTick);
  const auto look = runs.sample({kMake, link, process(103, 101, "make"),
                                 process(104, 103, "lto1", 90), process(105, 103, "lto1", 80)},
                                kClient, seconds(13), kTick);
  EXPECT_EQ(peaks(look.ended), (std::vector<std::uint64_t>{250}));
  EXPECT_EQ(peaks(look.alive), (std::vector<std::uint64_t>{90, 80}));
}

TEST(TokenRuns, AClientOfUnknownNameHandsOutJobsAllTheSame) {
  TokenRuns runs(1);
  const auto look = runs.sample({process(kClient, 1, "build.py"), process(101, kClient, "cc", 9)},
                                kClient, seconds(12), kTick);
  EXPECT_EQ(peaks(look.alive), (std::vector<std::uint64_t>{9}));
}

TEST(TokenRuns, AShortRunCountsAsBusyAllAlong) {
  TokenRuns runs(1);
  runs.sample({kMake, process(101, kClient, "cc")}, kClient, seconds(10) + milliseconds(3), kTick);
  const auto look = runs.sample({kMake}, kClient, seconds(11), kTick);
  ASSERT_EQ(look.ended.size(), 1u);
  EXPECT_EQ(look.ended[0].usage.wall, kTick);
  EXPECT_DOUBLE_EQ(look.ended[0].usage.busy_cores(), 1);
}

TEST(TokenRuns, AnotherProcessOfTheSameNumberIsAnotherRun) {
  TokenRuns runs(1);
  runs.sample({kMake, process(101, kClient, "cc", 9)}, kClient, seconds(11), kTick);
  auto later = process(101, kClient, "cc", 4);
  later.facts.started = 1150;
  const auto look = runs.sample({kMake, later}, kClient, seconds(12), kTick);
  EXPECT_EQ(peaks(look.ended), (std::vector<std::uint64_t>{9}));
  EXPECT_EQ(peaks(look.alive), (std::vector<std::uint64_t>{4}));
}

TEST(TokenRuns, WhatProcessesHaveInCommonCountsOnce) {
  auto first = process(101, kClient, "cc1", 10);
  auto second = process(102, kClient, "cc1", 20);
  first.memory.shared = Bytes{30ULL << 20};
  second.memory.shared = Bytes{25ULL << 20};
  EXPECT_EQ(memory_of_client({first, second}), Bytes{60ULL << 20});
}

TEST(TokenRuns, ReadsThisProcessAndItsKind) {
  const auto processes = read_client(members_of(read_processes(), getpid()));
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].facts.pid, getpid());
  EXPECT_EQ(processes[0].name, "test_jobserver");
  EXPECT_GT(memory_of_client(processes), Bytes{1 << 20});
}

}  // namespace
}  // namespace sluice::jobserver

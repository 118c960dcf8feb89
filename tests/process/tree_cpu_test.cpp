#include "process/child/tree_cpu.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sluice {
namespace {
using namespace std::chrono_literals;

ProcessFacts process(pid_t pid, pid_t parent, Duration cpu, std::uint64_t started = 100) {
  ProcessFacts facts;
  facts.pid = pid;
  facts.parent = parent;
  facts.started = started;
  facts.state = 'S';
  facts.cpu = cpu;
  return facts;
}

TreeCpu tree_of(const std::vector<ProcessFacts>& known) { return {50, known}; }

TEST(TreeCpu, WhatWasUsedBeforeTheReadingBeganDoesNotCount) {
  TreeCpu tree = tree_of({process(10, 1, 7s)});
  EXPECT_EQ(tree.sample({process(10, 1, 8s), process(11, 10, 3s, 20)}).cpu, 1s)
      << "the child had started before";
  EXPECT_EQ(tree.sample({process(10, 1, 8s), process(11, 10, 4s, 20)}).cpu, 1s);
}

TEST(TreeCpu, AProcessThatBeganSinceCountsInFull) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  EXPECT_EQ(tree.sample({process(10, 1, 1s), process(11, 10, 3s)}).cpu, 4s);
}

TEST(TreeCpu, AnEndedChildCountsOnce) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  EXPECT_EQ(tree.sample({process(10, 1, 1s), process(11, 10, 3s)}).cpu, 4s);
  const auto growth = tree.sample({process(10, 1, 1s + 5s)});
  EXPECT_EQ(growth.cpu, 2s) << "it had used 5 s when its parent waited for it";
  EXPECT_EQ(growth.vanished, 0U);
}

TEST(TreeCpu, AZombieIsNotTakenOffTwice) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  tree.sample({process(10, 1, 0s), process(11, 10, 3s)});
  ProcessFacts dead = process(11, 10, 4s);
  dead.state = 'Z';
  EXPECT_EQ(tree.sample({process(10, 1, 0s), dead}).cpu, 1s);
  EXPECT_EQ(tree.sample({process(10, 1, 4s)}).cpu, 0s);
}

TEST(TreeCpu, AFamilyThatEndedWentToTheAncestorThatIsLeft) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  tree.sample({process(10, 1, 0s), process(11, 10, 1s), process(12, 11, 2s)});
  const auto growth = tree.sample({process(10, 1, 4s)});
  EXPECT_EQ(growth.cpu, 1s);
  EXPECT_EQ(growth.vanished, 0U);
}

TEST(TreeCpu, AChildThatNobodyWaitedForTakesNothingFromTheRest) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  tree.sample({process(10, 1, 1s), process(11, 10, 9s), process(13, 10, 1s)});
  EXPECT_EQ(tree.sample({process(10, 1, 2s), process(13, 10, 3s)}).cpu, 2s);
}

TEST(TreeCpu, AProcessThatEndsOutsideTheTreeIsSaid) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  tree.sample({process(10, 1, 0s), process(11, 1, 1s)});
  EXPECT_EQ(tree.sample({process(10, 1, 0s)}).vanished, 1U);
}

TEST(TreeCpu, ANumberThatIsUsedAgainIsAnotherProcess) {
  TreeCpu tree = tree_of({process(10, 1, 0s)});
  tree.sample({process(10, 1, 0s), process(11, 10, 6s)});
  const auto growth = tree.sample({process(10, 1, 6s), process(11, 10, 2s, 700)});
  EXPECT_EQ(growth.cpu, 2s);
  EXPECT_FALSE(tree.knows(process(11, 10, 2s, 100)));
  EXPECT_TRUE(tree.knows(process(11, 10, 2s, 700)));
}

}  // namespace
}  // namespace sluice

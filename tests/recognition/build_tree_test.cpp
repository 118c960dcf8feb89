#include "recognition/build_tree.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace sluice {
namespace {

using enum ProgramClass;
using ActionWhat = TreeAction::What;
using Actions = std::vector<TreeAction>;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr pid_t kMake = 1;

TreeAction ask(pid_t process, pid_t parent = 0) {
  return {.what = ActionWhat::ask, .process = process, .parent = parent};
}
TreeAction hold(pid_t process) { return {.what = ActionWhat::hold, .process = process}; }
TreeAction go_on(pid_t process) { return {.what = ActionWhat::go_on, .process = process}; }
TreeAction ended(pid_t process) {
  return {.what = ActionWhat::release, .process = process, .has_ended = true};
}
TreeAction changed(pid_t process) { return {.what = ActionWhat::release, .process = process}; }

class Tree : public ::testing::Test {
 protected:
  Tree() { tree.became(kMake, {transparent}, now); }

  void start(pid_t process, pid_t parent, ProgramClass what, bool keeps_time = false) {
    tree.appeared(process, parent, now);
    tree.became(process, {what, keeps_time}, now);
  }
  void run(pid_t process, pid_t parent, ProgramClass what) {
    start(process, parent, what);
    if (what == other) now += seconds(1);
    tree.act(now);
    tree.granted(process);
    EXPECT_EQ(tree.act(now), Actions{});
  }
  void stand(pid_t process, pid_t parent, ProgramClass what, WaitsFor why = WaitsFor::window) {
    start(process, parent, what);
    tree.act(now);
    tree.waits(process, why, now);
    EXPECT_EQ(tree.act(now), Actions{hold(process)});
  }
  Actions act() { return tree.act(now); }

  TimePoint now{seconds(1000)};
  BuildTree tree{kMake};
};

TEST_F(Tree, ABriefHeavyProcessAsksOnceItLasts) {
  tree.appeared(2, kMake, now);
  tree.became(2, {.what = heavy, .is_brief = true}, now);
  EXPECT_EQ(act(), Actions{});
  EXPECT_EQ(tree.next(), now + milliseconds(50));
  now += milliseconds(50);
  EXPECT_EQ(act(), Actions{ask(2)});
}

TEST_F(Tree, ABriefProcessAsksBeforeTheHeavyOneThatItWaitsForAndCoversIt) {
  tree.appeared(2, kMake, now);
  tree.became(2, {.what = heavy, .is_brief = true}, now);
  start(3, 2, heavy);
  EXPECT_EQ(act(), Actions{ask(2)});
  now += seconds(1);
  EXPECT_EQ(act(), Actions{});
}

TEST_F(Tree, ManyBriefProcessesAskAtOnce) {
  BuildTree small(kMake, {.most_observed = 2});
  for (const pid_t process : {2, 3, 4}) {
    small.appeared(process, kMake, now);
    small.became(process, {.what = heavy, .is_brief = true}, now);
  }
  EXPECT_EQ(small.act(now), (Actions{ask(2), ask(3), ask(4)}));
}

TEST_F(Tree, AHeavyProcessAsksAtOnceAndRunsOnWhenItGetsAPermit) {
  start(2, kMake, transparent);
  start(3, 2, heavy);
  EXPECT_EQ(act(), Actions{ask(3)});
  EXPECT_EQ(act(), Actions{});
  tree.granted(3);
  EXPECT_EQ(act(), Actions{});
  EXPECT_TRUE(tree.holds_permit(3));
  tree.gone(3);
  EXPECT_EQ(act(), Actions{ended(3)});
}

TEST_F(Tree, AProcessThatIsKnownToBecomeHeavyAsksAtOnceAndItsCopiesDoNot) {
  tree.appeared(2, kMake, now);
  tree.became(2, {other, false, true}, now);
  EXPECT_EQ(act(), Actions{ask(2)});
  tree.granted(2);
  tree.appeared(3, 2, now);
  EXPECT_EQ(act(), Actions{});
  start(4, 2, other);
  EXPECT_EQ(act(), Actions{}) << "what it starts may be light";
}

TEST_F(Tree, OfMoreThanAreLookedAtEachAsksAtOnce) {
  BuildTree crowd(kMake, {.most_observed = 2});
  crowd.became(kMake, {transparent}, now);
  const auto begin = [&](pid_t process) {
    crowd.appeared(process, kMake, now);
    crowd.became(process, {other}, now);
    return crowd.act(now);
  };
  EXPECT_EQ(begin(2), Actions{});
  EXPECT_EQ(begin(3), Actions{});
  EXPECT_EQ(begin(4), (Actions{ask(2), ask(3), ask(4)}));
  EXPECT_EQ(begin(5), Actions{}) << "those that have asked are not looked at";
}

TEST_F(Tree, WhatWaitsIsHeldUntilItsPermitComes) {
  stand(3, kMake, heavy);
  ASSERT_EQ(tree.held().size(), 1u);
  tree.waits(3, WaitsFor::memory, now);
  EXPECT_EQ(act(), Actions{}) << "it is held already";
  EXPECT_EQ(tree.held()[0].waits_for, WaitsFor::memory);
  tree.granted(3);
  EXPECT_EQ(act(), Actions{go_on(3)});
  EXPECT_TRUE(tree.held().empty());
}

TEST_F(Tree, AnUnknownProcessIsNoJobUntilItHasLivedForALook) {
  start(3, kMake, other);
  EXPECT_EQ(act(), Actions{});
  ASSERT_TRUE(tree.next());
  EXPECT_EQ(*tree.next(), now + milliseconds(50));
  now = *tree.next();
  EXPECT_EQ(act(), Actions{ask(3)});
  start(4, kMake, other);
  tree.gone(4);
  now += seconds(1);
  EXPECT_EQ(act(), Actions{});
}

TEST_F(Tree, WhileSomethingIsHeldForMemoryALookIsShort) {
  stand(3, kMake, heavy, WaitsFor::memory);
  start(4, kMake, other);
  EXPECT_EQ(*tree.next(), now + milliseconds(15));
}

TEST_F(Tree, TransparentProcessesCostNothing) {
  start(3, kMake, transparent);
  now += seconds(100);
  EXPECT_EQ(act(), Actions{});
  EXPECT_EQ(tree.next(), std::nullopt);
}

TEST_F(Tree, APermitCoversTheOneHeavyProcessThatItsHolderWaitsFor) {
  run(3, kMake, heavy);
  start(4, 3, transparent);
  start(5, 4, heavy);
  EXPECT_EQ(act(), Actions{}) << "rustc's ld";
  EXPECT_EQ(tree.holder_above(5), 3);
  start(6, 5, heavy);
  EXPECT_EQ(act(), Actions{}) << "ld's lto1";
  start(7, 5, heavy);
  EXPECT_EQ(act(), Actions{ask(7)}) << "a second lto1 beside it";
  tree.gone(6);
  tree.gone(7);
  act();
  start(8, 5, heavy);
  EXPECT_EQ(act(), Actions{}) << "one at a time";
}

TEST_F(Tree, WhatIsCoveredAsksWhenItOutlivesTheHolder) {
  run(3, kMake, heavy);
  start(4, 3, heavy);
  act();
  tree.gone(3);
  EXPECT_EQ(act(), (Actions{ended(3), ask(4)}));
}

TEST_F(Tree, WhatAnUnknownProcessStartsWorksOnItsPermit) {
  run(3, kMake, other);
  start(4, 3, transparent);
  start(5, 4, heavy);
  EXPECT_EQ(act(), Actions{ask(5, 3)});
  start(6, 3, other);
  now += milliseconds(50);
  EXPECT_EQ(act(), Actions{ask(6, 3)});
}

TEST_F(Tree, AnUnknownProcessAsksForNothingWhileItWaitsForWhatHasAPermit) {
  start(3, kMake, other);
  start(4, 3, heavy);
  EXPECT_EQ(act(), Actions{ask(4)});
  now += seconds(1);
  EXPECT_EQ(act(), Actions{});
  tree.gone(4);
  EXPECT_EQ(act(), (Actions{ended(4), ask(3)}));
}

TEST_F(Tree, EightWorkersOfATestRunnerAreEightJobs) {
  run(3, kMake, other);
  for (pid_t worker = 10; worker < 18; ++worker) tree.appeared(worker, 3, now);
  now += milliseconds(50);
  const Actions actions = act();
  ASSERT_EQ(actions.size(), 8u) << "copies that never become another program";
  EXPECT_EQ(actions.front(), ask(10, 3));
}

TEST_F(Tree, AStageMayGoWithASiblingThatRunsOnAPermitOrWentAsAStage) {
  run(3, kMake, other);
  for (const pid_t stage : {4, 5}) {
    start(stage, kMake, other);
    now += seconds(1);
    act();
    tree.waits(stage, WaitsFor::window, now);
    act();
  }
  EXPECT_TRUE(tree.may_go_with(4, 3));
  tree.waits(4, WaitsFor::resume, now);
  EXPECT_TRUE(tree.may_go_with(4, 3)) << "a pause divides no pipeline that runs";
  EXPECT_FALSE(tree.may_go_with(5, 4)) << "that is held itself";
  tree.let_go(4, NoPermitReason::pipeline);
  EXPECT_EQ(act(), Actions{go_on(4)});
  EXPECT_TRUE(tree.may_go_with(5, 4));
  EXPECT_FALSE(tree.may_go_with(4, 3)) << "it is not held";
  tree.granted(4);
  EXPECT_TRUE(tree.holds_permit(4)) << "it kept waiting for one";
  EXPECT_EQ(tree.beyond().at(NoPermitReason::pipeline), 1u);
}

TEST_F(Tree, NothingThatWaitsForMemoryIsHeavyOrHasAnotherParentGoesAsAStage) {
  run(3, kMake, other);
  stand(4, kMake, heavy);
  start(5, kMake, other);
  start(6, 3, other);
  now += seconds(1);
  act();
  tree.waits(5, WaitsFor::memory, now);
  tree.waits(6, WaitsFor::window, now);
  act();
  EXPECT_FALSE(tree.may_go_with(4, 3)) << "it is heavy";
  EXPECT_FALSE(tree.may_go_with(5, 3)) << "it waits for memory";
  EXPECT_FALSE(tree.may_go_with(6, 3)) << "it has another parent";
}

TEST_F(Tree, ACopyOfACompilerIsNoCompileBeforeItBecomesOne) {
  run(3, kMake, heavy);
  tree.appeared(4, 3, now);
  EXPECT_EQ(act(), Actions{});
  tree.became(4, {transparent}, now);
  now += seconds(1);
  EXPECT_EQ(act(), Actions{});
}

TEST_F(Tree, AProcessThatBecomesAnotherProgramAsksForThat) {
  run(3, kMake, other);
  tree.became(3, {heavy}, now);
  EXPECT_EQ(act(), (Actions{changed(3), ask(3)}));
  tree.became(3, {transparent}, now);
  EXPECT_EQ(act(), Actions{changed(3)});
}

TEST_F(Tree, TheRootIsNeverHeld) {
  tree.became(kMake, {heavy}, now);
  EXPECT_EQ(act(), Actions{ask(kMake)});
  tree.waits(kMake, WaitsFor::window, now);
  EXPECT_EQ(act(), Actions{});
}

TEST_F(Tree, WhatClientsOfTheDaemonStartIsTheirs) {
  start(3, kMake, governed);
  start(4, 3, transparent);
  start(5, 4, heavy);
  now += seconds(1);
  EXPECT_EQ(act(), Actions{});
}

TEST_F(Tree, WhatADrainingDaemonLetsWaitGoesOn) {
  stand(3, kMake, heavy);
  tree.waits(3, WaitsFor::nothing, now);
  EXPECT_EQ(act(), Actions{go_on(3)});
  start(4, kMake, heavy);
  act();
  tree.waits(4, WaitsFor::nothing, now);
  EXPECT_EQ(act(), Actions{}) << "it is not stopped first";
  EXPECT_EQ(tree.beyond().at(NoPermitReason::ungoverned), 2u);
  tree.granted(3);
  EXPECT_TRUE(tree.holds_permit(3)) << "the daemon was resumed";
}

TEST_F(Tree, BelowATimekeeperNothingIsHeldForMoreThanTenSeconds) {
  start(2, kMake, transparent, true);
  stand(3, 2, heavy);
  EXPECT_EQ(*tree.next(), now + seconds(10));
  now += seconds(10) - milliseconds(1);
  EXPECT_EQ(act(), Actions{});
  now += milliseconds(1);
  EXPECT_EQ(act(), Actions{go_on(3)});
  EXPECT_EQ(tree.beyond().at(NoPermitReason::timekeeper), 1u);
  tree.waits(3, WaitsFor::window, now);
  EXPECT_EQ(act(), Actions{}) << "it is not held again";
  tree.granted(3);
  EXPECT_TRUE(tree.holds_permit(3));
}

TEST_F(Tree, BelowATimekeeperTheTimeOfADaemonThatIsFoundCounts) {
  start(2, kMake, transparent, true);
  tree.daemon_lost();
  tree.daemon_found(seconds(3));
  stand(3, 2, heavy);
  EXPECT_EQ(*tree.next(), now + seconds(3));
}

TEST_F(Tree, ATimekeeperDoesNotGoBeyondMemory) {
  start(2, kMake, transparent, true);
  stand(3, 2, heavy, WaitsFor::memory);
  now += seconds(60);
  EXPECT_EQ(act(), Actions{});
}

TEST_F(Tree, WhatCannotBeStoppedRunsOnAndIsCounted) {
  stand(3, kMake, heavy);
  tree.not_held(3);
  EXPECT_EQ(act(), Actions{});
  EXPECT_TRUE(tree.held().empty());
  EXPECT_EQ(tree.beyond().at(NoPermitReason::unstoppable), 1u);
}

TEST_F(Tree, WithoutADaemonEverythingGoesOnAndNothingAsks) {
  run(3, kMake, heavy);
  stand(4, kMake, heavy);
  tree.daemon_lost();
  EXPECT_EQ(act(), Actions{go_on(4)});
  EXPECT_EQ(tree.beyond().at(NoPermitReason::ungoverned), 1u) << "3 had a permit";
  start(5, kMake, heavy);
  EXPECT_EQ(act(), Actions{});
  tree.daemon_found();
  EXPECT_EQ(act(), (Actions{ask(3), ask(4), ask(5)}));
  tree.waits(4, WaitsFor::window, now);
  tree.waits(5, WaitsFor::window, now);
  EXPECT_EQ(act(), Actions{}) << "what began without the daemon is not held";
}

TEST_F(Tree, ARefusedProcessRunsOn) {
  start(3, kMake, heavy);
  act();
  tree.refused(3);
  tree.gone(3);
  EXPECT_EQ(act(), Actions{}) << "there is nothing to give back";
}

TEST_F(Tree, ARefusedProcessAsksAgainOnlyAsAnotherProgramOrOfAnotherDaemon) {
  start(3, kMake, heavy);
  act();
  tree.refused(3);
  EXPECT_EQ(act(), Actions{});
  EXPECT_EQ(tree.next(), std::nullopt);
  tree.became(3, {heavy}, now);
  EXPECT_EQ(act(), Actions{ask(3)});
  tree.refused(3);
  tree.daemon_lost();
  tree.daemon_found();
  EXPECT_EQ(act(), Actions{ask(3)});
}

TEST_F(Tree, OrphansStayInTheBuild) {
  start(2, kMake, other);
  start(3, 2, transparent);
  tree.gone(2);
  start(4, 3, heavy);
  EXPECT_EQ(act(), Actions{ask(4)});
}

TEST_F(Tree, TheEldestHeldIsTheFirst) {
  stand(9, kMake, heavy);
  stand(4, kMake, heavy);
  ASSERT_EQ(tree.held().size(), 2u);
  EXPECT_EQ(tree.held()[0].process, 9);
  tree.let_go(9, NoPermitReason::stalled);
  EXPECT_EQ(act(), Actions{go_on(9)});
  EXPECT_EQ(tree.held()[0].process, 4);
}

TEST_F(Tree, AHeldProcessNamesItsParentOnlyIfThatIsAnUnknownProgram) {
  run(2, kMake, other);
  stand(3, 2, heavy);
  stand(4, kMake, heavy);
  ASSERT_EQ(tree.held().size(), 2u);
  EXPECT_EQ(tree.held()[0].parent, 2);
  EXPECT_EQ(tree.held()[1].parent, 0) << "make starts other jobs meanwhile";
}

}  // namespace
}  // namespace sluice

#include "autoscale/fleet_controller.h"

#include <gtest/gtest.h>

#include "fleet_world.h"

namespace sluice::fleet_test {
namespace {

TEST_F(FleetControllerTest, AddsWhatIsNeededUnderTheNextName) {
  world.put("node001", 20);
  const ReconcileResult first = reconcile();
  EXPECT_EQ(world.take_log(), Names{"add node002"});
  EXPECT_EQ(first.added, Names{"node002"});
  EXPECT_EQ(first.desired, 2);
}

TEST_F(FleetControllerTest, DrainsAtOneLookAndRemovesAtTheNext) {
  world.put("node001", 5);
  world.put("node002", 0);
  EXPECT_EQ(reconcile().drained, Names{"node002"});
  EXPECT_EQ(world.take_log(), Names{"drain node002"});
  EXPECT_EQ(reconcile().removed, Names{"node002"});
  EXPECT_EQ(world.take_log(), Names{"remove node002"});
  EXPECT_TRUE(reconcile().removed.empty());
  EXPECT_TRUE(controller->state().departing.empty());
}

TEST_F(FleetControllerTest, OneThatGotAJobWhileItDrainedStays) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.executors["node002"].usage = Points{5};
  world.executors["node002"].running = 1;
  const ReconcileResult second = reconcile();
  EXPECT_EQ(world.take_log(), (Names{"drain node002", "resume node002", "keep node002"}));
  EXPECT_TRUE(says(second, "node002 stays: it got a job meanwhile"));
  EXPECT_FALSE(world.executors["node002"].draining);
}

TEST_F(FleetControllerTest, OneThatIsNeededAgainIsTakenBackInPlaceOfANewOne) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.take_log();
  world.executors["node001"].usage = Points{20};
  const ReconcileResult second = reconcile();
  EXPECT_EQ(world.take_log(), (Names{"resume node002", "keep node002"}));
  EXPECT_EQ(second.kept, Names{"node002"});
  EXPECT_TRUE(second.added.empty());
}

TEST_F(FleetControllerTest, OneThatVanishesWhileItDrainsIsGoneAndNotRemovedTwice) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.take_log();
  world.executors.erase("node002");
  ReconcileResult last;
  for (int minute = 0; minute < 6; ++minute) {
    EXPECT_TRUE(last.notes.empty());
    last = reconcile();
  }
  EXPECT_TRUE(says(last, "node002 disappeared while it drained"));
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, OneThatAListLeavesOutOnceGoesAllTheSame) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.take_log();
  world.left_out = {"node002"};
  reconcile();
  world.left_out.clear();
  EXPECT_EQ(reconcile().removed, Names{"node002"}) << "it drains, and nobody else would end that";
}

TEST_F(FleetControllerTest, EachIsAskedOnceMoreRightBeforeItIsRemoved) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  reconcile();
  world.on_removal = [this](const std::string&) { world.put("node002", 10); };
  const ReconcileResult second = reconcile();
  EXPECT_EQ(second.removed.size(), 1U);
  EXPECT_TRUE(world.executors.contains("node002")) << "it got a job while the other was removed";
}

TEST_F(FleetControllerTest, WhereAllGoTogetherAllAreAskedFirst) {
  world.manner = Scaler::Removes::together;
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  reconcile();
  EXPECT_EQ(reconcile().removed.size(), 2U);
}

TEST_F(FleetControllerTest, AtTheMaximumADrainedOneIsTakenBackWhereMoreIsAskedFor) {
  settings.rules.max = 2;
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.take_log();
  world.executors["node001"].usage = Points{20};
  EXPECT_EQ(reconcile().kept, Names{"node002"});
  EXPECT_EQ(world.take_log(), (Names{"resume node002", "keep node002"}));
}

TEST_F(FleetControllerTest, ANameThatWasRemovedAndIsStillListedIsOrderedOnce) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.lies = true;
  EXPECT_EQ(reconcile().removed, Names{"node002"});
  world.unseen = {"node002"};
  world.executors["node001"].usage = Points{20};
  world.take_log();
  for (int minute = 0; minute < 5; ++minute) reconcile();
  EXPECT_EQ(world.take_log(), Names{"add node002"}) << "it counts as booting meanwhile";
  EXPECT_EQ(controller->state().ordered.size(), 1U);
}

TEST_F(FleetControllerTest, WhatAnotherClientResumesStays) {
  world.put("node001", 5);
  world.put("node002", 0, minutes(9));
  world.executors["node002"].up = minutes(11);
  reconcile();
  world.take_log();
  world.executors["node002"].draining = false;
  world.executors["node002"].up = minutes(1);
  EXPECT_TRUE(says(reconcile(), "another client resumed node002"));
  EXPECT_EQ(world.take_log(), Names{"keep node002"});
}

TEST_F(FleetControllerTest, OneThatAnotherClientDrainsIsPointedOutOnce) {
  world.put("node001", 0);
  world.put("node002", 5);
  world.executors["node002"].draining = true;
  const ReconcileResult first = reconcile();
  EXPECT_TRUE(says(first, "node002 is being drained by another client"));
  world.unseen.insert("node002");
  EXPECT_FALSE(says(reconcile(), "node002 is being drained"));
  world.unseen.clear();
  EXPECT_FALSE(says(reconcile(), "node002 is being drained"));
  world.executors["node002"].draining = false;
  reconcile();
  world.executors["node002"].draining = true;
  EXPECT_TRUE(says(reconcile(), "node002 is being drained"));
}

TEST_F(FleetControllerTest, WhatBootsCountsAndIsNotOrderedTwice) {
  settings.rules.add = 5;
  world.put("node001", 20);
  world.lies = true;
  reconcile();
  const ReconcileResult second = reconcile();
  EXPECT_EQ(second.decision.numbers.booting, 1);
  EXPECT_EQ(second.decision.numbers.executors, 2);
  EXPECT_EQ(world.take_log(), Names{"add node002"});
}

TEST_F(FleetControllerTest, ARestartInTheMiddleOfADrainGoesOnWithIt) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  restart();
  EXPECT_EQ(reconcile().removed, Names{"node002"});
}

TEST_F(FleetControllerTest, AnOrderIsKeptBeforeItIsGiven) {
  world.put("node001", 20);
  world.lies = true;
  reconcile();
  ASSERT_GE(world.saved.size(), 2U);
  const FleetState& before = world.saved[world.saved.size() - 2];
  ASSERT_EQ(before.ordered.size(), 1U);
  EXPECT_EQ(before.ordered[0].name, "node002");
}

TEST_F(FleetControllerTest, JobsOfTheCentralQueueWaitSinceItWasLastEmpty) {
  settings.rules.rules = ScaleRules::starcluster;
  settings.rules.wait = minutes(5);
  world.put("node001", 20);
  world.central = 0;
  reconcile();
  world.central = 10;
  EXPECT_EQ(reconcile().decision.reason, ScaleReason::young);
  EXPECT_EQ(reconcile(minutes(5)).decision.reason, ScaleReason::young);
  const ReconcileResult due = reconcile(minutes(1));
  EXPECT_EQ(due.decision.reason, ScaleReason::waited);
  EXPECT_EQ(due.decision.numbers.queued, 200) << "each as much as those that run";
}

TEST_F(FleetControllerTest, OrderedOnesThatSomeoneElseNamesAreCountedAndNotNamed) {
  settings.ordered = FleetSettings::Ordered::told;
  settings.rules.add = 2;
  world.put("pod-x2f", 40);
  const ReconcileResult first = reconcile();
  EXPECT_EQ(first.added_pods, 2);
  EXPECT_TRUE(first.added.empty());
}

TEST_F(FleetControllerTest, NewcomersOfOtherNamesAreTheOldestOrders) {
  settings.rules.add = 2;
  world.put("10.0.0.1:9797", 40);
  world.lies = true;
  EXPECT_EQ(reconcile().added, (Names{"001", "002"}))
      << "neither a port nor an address is counted on";
  world.put("10.0.0.7:9797", 0, seconds(5));
  reconcile();
  EXPECT_EQ(controller->state().ordered.size(), 1U);
}

}  // namespace
}  // namespace sluice::fleet_test

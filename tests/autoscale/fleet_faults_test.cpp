// Executors that are not seen, and scalers that fail or lie.
#include <gtest/gtest.h>

#include "fleet_world.h"

namespace sluice::fleet_test {
namespace {

TEST_F(FleetControllerTest, AFleetWithAnUnseenOneLosesNobody) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  world.unseen = {"node001"};
  for (int i = 0; i < 3; ++i) {
    const ReconcileResult each = reconcile();
    EXPECT_EQ(each.unseen, 1);
    EXPECT_TRUE(each.decision.remove.empty());
  }
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, NobodyDrainedIsRemovedWhileAnotherIsNotSeen) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  world.take_log();
  world.unseen = {"node001"};
  EXPECT_TRUE(says(reconcile(), "node002 is not removed while 1 executor is not seen"));
  EXPECT_EQ(world.take_log(), Names{});
  world.unseen.clear();
  EXPECT_EQ(reconcile().removed, Names{"node002"});
}

TEST_F(FleetControllerTest, WhileTheFleetIsNotSeenNothingIsDone) {
  world.put("node001", 20);
  EXPECT_EQ(reconcile().desired, 2);
  world.take_log();
  world.blind = "Prometheus is gone";
  const ReconcileResult blind = reconcile();
  EXPECT_EQ(blind.desired, 2) << "the last known one";
  EXPECT_EQ(blind.decision.reason, ScaleReason::blind);
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, AScalerThatFailsIsAskedLessAndLess) {
  world.put("node001", 20);
  world.add_problem = "no quota";
  std::vector<int> asked_at;
  for (int minute = 0; minute < 40; ++minute) {
    const ReconcileResult each = reconcile();
    if (each.failed_adds > 0) {
      asked_at.push_back(minute);
      EXPECT_TRUE(says(each, "no quota"));
    } else {
      EXPECT_TRUE(says(each, "next try in"));
    }
  }
  EXPECT_EQ(asked_at, (std::vector<int>{0, 1, 3, 7, 15, 31}));
  world.add_problem.clear();
  for (int minute = 0; minute < 40; ++minute) reconcile();
  EXPECT_EQ(controller->state().adding.failures, 0);
  EXPECT_TRUE(world.executors.contains("node002"));
}

TEST_F(FleetControllerTest, AnOrderThatFailedDoesNotCountAsAChange) {
  settings.rules.stabilise = minutes(30);
  world.put("node001", 20);
  world.add_problem = "no quota";
  reconcile(minutes(31));
  EXPECT_FALSE(controller->state().rules.last_change.has_value());
}

TEST_F(FleetControllerTest, AScalerThatLiesAboutAnAddIsNoticedAndNotAskedForMoreMeanwhile) {
  world.put("node001", 20);
  world.lies = true;
  EXPECT_EQ(reconcile().added, Names{"node002"});
  for (int minute = 1; minute <= 10; ++minute) EXPECT_TRUE(reconcile().added.empty()) << minute;
  EXPECT_EQ(world.take_log(), Names{"add node002"});
  const ReconcileResult found_out = reconcile();
  EXPECT_TRUE(says(found_out, "node002 was ordered but not seen for 10min"));
  EXPECT_EQ(found_out.failed_adds, 1);
}

TEST_F(FleetControllerTest,
       AListedOneThatDoesNotStartIsAFailureEachTimeTheTimeIsOverAndStillCounts) {
  settings.ordered = FleetSettings::Ordered::told;
  settings.boot = minutes(3);
  for (const char* id : {"pod-a", "pod-b", "pod-c"}) world.put(id, 20);
  world.booting = {"pod-b", "pod-c"};
  std::vector<int> failed_at;
  for (int minute = 0; minute < 9; ++minute) {
    const ReconcileResult each = reconcile();
    if (each.failed_adds > 0) failed_at.push_back(minute);
    if (each.failed_adds > 0) {
      EXPECT_EQ(each.failed_adds, 2);
      EXPECT_TRUE(
          says(each,
               "pod-b and 1 more did not start within 3min; Kubernetes keeps trying, so they still "
               "count as booting"));
    }
    EXPECT_EQ(each.decision.numbers.booting, 2) << minute;
    EXPECT_TRUE(each.added.empty()) << minute;
    if (minute == 2) restart();
  }
  EXPECT_EQ(failed_at, (std::vector<int>{4, 8}));
  world.booting.clear();
  EXPECT_TRUE(reconcile(minutes(10)).notes.empty());
  EXPECT_TRUE(controller->state().ordered.empty());
}

TEST_F(FleetControllerTest, AnOrderThatWasCutOffCountsUntilItIsKnown) {
  world.put("node001", 20);
  world.add_problem = "add: killed after 120 s";
  world.cut_off = true;
  const ReconcileResult cut = reconcile();
  EXPECT_TRUE(cut.added.empty());
  EXPECT_EQ(cut.failed_adds, 1);
  for (int minute = 1; minute <= 5; ++minute) reconcile();
  EXPECT_EQ(world.take_log(), Names{"add node002"}) << "it may come still";
  world.put("node002", 0, minutes(1));
  world.add_problem.clear();
  reconcile();
  EXPECT_EQ(controller->state().adding.failures, 0);
  EXPECT_TRUE(controller->state().ordered.empty());
}

TEST_F(FleetControllerTest, AScalerThatGoesOnLyingIsAskedLessAndLess) {
  settings.boot = minutes(2);
  world.put("node001", 20);
  world.lies = true;
  std::vector<int> asked_at;
  for (int minute = 0; minute < 60; ++minute) {
    if (!reconcile().added.empty()) asked_at.push_back(minute);
  }
  ASSERT_GE(asked_at.size(), 4U);
  for (std::size_t i = 2; i < asked_at.size(); ++i) {
    EXPECT_GT(asked_at[i] - asked_at[i - 1], asked_at[i - 1] - asked_at[i - 2]) << i;
  }
}

TEST_F(FleetControllerTest, ANewcomerThatIsListedBeforeItAnswersIsTheOrder) {
  world.put("vm-a", 20);
  world.lies = true;
  reconcile();
  world.put("vm-b", 0, seconds(0));
  world.unseen = {"vm-b"};
  reconcile();
  world.unseen.clear();
  reconcile();
  EXPECT_TRUE(controller->state().ordered.empty());
}

TEST_F(FleetControllerTest, AScalerThatLiesAboutARemovalIsNoticedAndTheExecutorCounted) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.lies = true;
  reconcile();
  EXPECT_EQ(reconcile().removed, Names{"node002"});
  ReconcileResult last;
  for (int minute = 0; minute < 6; ++minute) {
    last = reconcile();
    EXPECT_EQ(last.observation.executors.size(), 2U);
  }
  EXPECT_TRUE(says(last, "reported that it removed node002, which still answers after 5min"));
  EXPECT_EQ(last.failed_removes, 1);
}

TEST_F(FleetControllerTest, AnExecutorThatCannotBeDrainedStays) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.tell_problem = "401: a token is needed";
  const ReconcileResult first = reconcile();
  EXPECT_TRUE(
      says(first, "node002 cannot be drained: 401: a token is needed; next try in 1 min 00 s"));
  EXPECT_EQ(first.failed_drains, 1);
  EXPECT_TRUE(first.drained.empty());
  EXPECT_TRUE(controller->state().departing.empty());
}

TEST_F(FleetControllerTest,
       AnExecutorThatCannotBeDrainedIsToldLessAndLessAndTheOthersDrainMeanwhile) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  world.undrainable = {"node003"};
  EXPECT_EQ(reconcile().drained, Names{"node002"});
  std::vector<int> failed_at;
  for (int minute = 1; minute < 40; ++minute) {
    const ReconcileResult each = reconcile();
    if (each.failed_drains > 0) failed_at.push_back(minute);
    EXPECT_TRUE(says(each, "next try in")) << minute;
    if (minute == 1) restart();
  }
  EXPECT_EQ(failed_at, (std::vector<int>{1, 3, 7, 15, 31}));
  EXPECT_FALSE(world.executors.contains("node002"));
  world.undrainable.clear();
  for (int minute = 0; minute < 40; ++minute) reconcile();
  EXPECT_FALSE(world.executors.contains("node003"));
  EXPECT_TRUE(controller->state().failed_drains.empty());
}

TEST_F(FleetControllerTest, ASurplusOfOneIsDrainedThoughTheFirstToGoCannotBeDrained) {
  world.put("node001", 20);
  world.put("node002", 0);
  world.put("node003", 0);
  world.undrainable = {"node003"};
  const ReconcileResult first = reconcile();
  EXPECT_EQ(first.decision.remove, Names{"node003"}) << "the surplus is one, and this goes first";
  EXPECT_EQ(first.failed_drains, 1);
  const ReconcileResult second = reconcile(seconds(30));
  EXPECT_EQ(second.drained, Names{"node002"});
  EXPECT_EQ(second.decision.numbers.executors, 3) << "the one that cannot be drained still counts";
  EXPECT_TRUE(says(second, "node003 could not be drained 1 time; next try in 30 s"));
  EXPECT_EQ(reconcile(minutes(5)).removed, Names{"node002"});
  world.take_log();
  EXPECT_TRUE(reconcile(minutes(5)).notes.empty());
  EXPECT_EQ(world.take_log(), Names{}) << "there is no surplus any more";
}

TEST_F(FleetControllerTest, WhereNobodyElseCanGoNothingIsOrderedUntilTheNextTryToDrain) {
  world.put("node001", 10);
  world.put("node002", 10);
  world.put("node003", 0);
  world.undrainable = {"node003"};
  reconcile();
  world.take_log();
  const ReconcileResult second = reconcile(seconds(30));
  EXPECT_EQ(second.decision.reason, ScaleReason::none_due);
  EXPECT_TRUE(says(second, "node003 could not be drained 1 time; next try in 30 s"));
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, AMasterThatIsLeftAloneAndCannotBeDrainedIsToldLessAndLess) {
  settings.master = "node001";
  settings.rules.kill_master = true;
  world.put("node001", 0);
  world.undrainable = {"node001"};
  const ReconcileResult first = reconcile();
  EXPECT_EQ(first.decision.reason, ScaleReason::done);
  EXPECT_EQ(first.failed_drains, 1);
  world.take_log();
  EXPECT_TRUE(
      says(reconcile(seconds(30)), "node001 could not be drained 1 time; next try in 30 s"));
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, AClockThatIsSetBackChangesNothing) {
  world.put("node001", 5);
  world.put("node002", 0);
  reconcile();
  EXPECT_EQ(reconcile(-std::chrono::hours(500)).removed, Names{"node002"});
  EXPECT_TRUE(reconcile(std::chrono::hours(2000)).removed.empty());
}

}  // namespace
}  // namespace sluice::fleet_test

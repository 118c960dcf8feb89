#include "autoscale/fleet_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace sluice {
namespace {

using Names = std::vector<std::string>;
using std::chrono::minutes;
using std::chrono::seconds;

/// A simulated fleet, and a scaler that records its calls and succeeds, fails or lies on demand.
struct World : Scaler {
  std::map<std::string, ExecutorReport> executors;
  std::set<std::string> unseen;
  std::string blind;
  std::optional<std::int64_t> central;
  Names log;  ///< Calls to executors and to the scaler.
  std::vector<FleetState> saved;
  std::string add_problem, remove_problem, tell_problem;
  bool lies = false;
  bool cut_off = false;  ///< Whether a failed add may still have created executors.
  Removes manner = Removes::one_by_one;
  std::set<std::string> left_out;                      ///< Missing from the list.
  std::function<void(const std::string&)> on_removal;  ///< Called while one is removed.

  FleetObservation fleet() const {
    FleetObservation fleet;
    fleet.blind = blind;
    fleet.central = central;
    for (const auto& [id, report] : executors) {
      ExecutorObservation seen;
      seen.id = id;
      if (left_out.contains(id)) continue;
      if (unseen.contains(id)) {
        seen.problem = "no answer in time";
      } else {
        seen.report = report;
      }
      fleet.executors.push_back(seen);
    }
    return fleet;
  }

  void put(const std::string& id, std::int64_t usage, Duration up = minutes(50)) {
    ExecutorReport report;
    report.window = Points{20};
    report.usage = Points{usage};
    report.running = usage > 0 ? 1 : 0;
    report.up = up;
    executors[id] = report;
  }

  FleetCallbacks callbacks() {
    FleetCallbacks callbacks;
    callbacks.fleet = [this] { return fleet(); };
    callbacks.ask =
        [this](const ExecutorObservation& seen) -> std::variant<ExecutorReport, std::string> {
      if (unseen.contains(seen.id)) return std::string("no answer in time");
      return executors.at(seen.id);
    };
    callbacks.tell = [this](const ExecutorObservation& seen, const std::string& verb) {
      log.push_back(verb + " " + seen.id);
      if (!tell_problem.empty()) return ToldExecutor{0, tell_problem};
      executors.at(seen.id).draining = verb == "drain";
      return ToldExecutor{executors.at(seen.id).running, ""};
    };
    callbacks.save = [this](const FleetState& state) { saved.push_back(state); };
    callbacks.scaler = this;
    return callbacks;
  }

  ScalerReply add(const Names& names) override {
    for (const std::string& name : names) {
      log.push_back("add " + name);
      if (add_problem.empty() && !lies) put(name, 0, seconds(0));
    }
    if (add_problem.empty()) return {names, ""};
    return {{}, add_problem, cut_off ? names : Names{}};
  }
  Removes removes() const override { return manner; }
  Removable removable(const Names& ids) override { return {ids, ""}; }
  ScalerReply remove(const Names& ids) override {
    for (const std::string& id : ids) {
      log.push_back("remove " + id);
      if (on_removal) on_removal(id);
      if (remove_problem.empty() && !lies) executors.erase(id);
    }
    return remove_problem.empty() ? ScalerReply{ids, ""} : ScalerReply{{}, remove_problem};
  }
  void cancel_removal(const Names& ids) override {
    for (const std::string& id : ids) log.push_back("keep " + id);
  }

  Names take_log() {
    Names taken;
    taken.swap(log);
    return taken;
  }
};

class FleetControllerTest : public ::testing::Test {
 protected:
  FleetControllerTest() {
    settings.rules.max = 5;
    settings.rules.stabilise = Duration{0};
    settings.rules.billing = Duration{0};
    settings.rules.kill_after = minutes(10);
  }

  ReconcileResult round(Duration later = minutes(1)) {
    if (!controller) {
      controller = std::make_unique<FleetController>(settings, world.callbacks(), start_fleet(now));
    }
    now += later;
    return controller->round(now);
  }
  /// As after a kill and restart of the process.
  void restart() {
    const FleetState kept = world.saved.back();
    controller = std::make_unique<FleetController>(settings, world.callbacks(), kept);
  }
  static bool says(const ReconcileResult& round, const std::string& part) {
    return std::any_of(round.notes.begin(), round.notes.end(), [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  }

  TimePoint now{std::chrono::hours(1000)};
  FleetSettings settings;
  World world;
  std::unique_ptr<FleetController> controller;
};

TEST_F(FleetControllerTest, AddsWhatIsNeededUnderTheNextName) {
  world.put("node001", 20);
  const ReconcileResult first = round();
  EXPECT_EQ(world.take_log(), Names{"add node002"});
  EXPECT_EQ(first.added, Names{"node002"});
  EXPECT_EQ(first.desired, 2);
}

TEST_F(FleetControllerTest, DrainsAtOneLookAndRemovesAtTheNext) {
  world.put("node001", 5);
  world.put("node002", 0);
  EXPECT_EQ(round().drained, Names{"node002"});
  EXPECT_EQ(world.take_log(), Names{"drain node002"});
  EXPECT_EQ(round().removed, Names{"node002"});
  EXPECT_EQ(world.take_log(), Names{"remove node002"});
  EXPECT_TRUE(round().removed.empty());
  EXPECT_TRUE(controller->state().departing.empty());
}

TEST_F(FleetControllerTest, OneThatGotAJobWhileItDrainedStays) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.executors["node002"].usage = Points{5};
  world.executors["node002"].running = 1;
  const ReconcileResult second = round();
  EXPECT_EQ(world.take_log(), (Names{"drain node002", "resume node002", "keep node002"}));
  EXPECT_TRUE(says(second, "node002 stays: it got a job meanwhile"));
  EXPECT_FALSE(world.executors["node002"].draining);
}

TEST_F(FleetControllerTest, OneThatIsNeededAgainIsTakenBackInPlaceOfANewOne) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.take_log();
  world.executors["node001"].usage = Points{20};
  const ReconcileResult second = round();
  EXPECT_EQ(world.take_log(), (Names{"resume node002", "keep node002"}));
  EXPECT_EQ(second.kept, Names{"node002"});
  EXPECT_TRUE(second.added.empty());
}

TEST_F(FleetControllerTest, OneThatVanishesWhileItDrainsIsGoneAndNotRemovedTwice) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.take_log();
  world.executors.erase("node002");
  ReconcileResult last;
  for (int minute = 0; minute < 6; ++minute) {
    EXPECT_TRUE(last.notes.empty());
    last = round();
  }
  EXPECT_TRUE(says(last, "node002 disappeared while it drained"));
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, OneThatAListLeavesOutOnceGoesAllTheSame) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.take_log();
  world.left_out = {"node002"};
  round();
  world.left_out.clear();
  EXPECT_EQ(round().removed, Names{"node002"}) << "it drains, and nobody else would end that";
}

TEST_F(FleetControllerTest, EachIsAskedOnceMoreRightBeforeItIsRemoved) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  round();
  world.on_removal = [this](const std::string&) { world.put("node002", 10); };
  const ReconcileResult second = round();
  EXPECT_EQ(second.removed.size(), 1U);
  EXPECT_TRUE(world.executors.contains("node002")) << "it got a job while the other was removed";
}

TEST_F(FleetControllerTest, WhereAllGoTogetherAllAreAskedFirst) {
  world.manner = Scaler::Removes::together;
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  round();
  EXPECT_EQ(round().removed.size(), 2U);
}

TEST_F(FleetControllerTest, AtTheMaximumADrainedOneIsTakenBackWhereMoreIsAskedFor) {
  settings.rules.max = 2;
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.take_log();
  world.executors["node001"].usage = Points{20};
  EXPECT_EQ(round().kept, Names{"node002"});
  EXPECT_EQ(world.take_log(), (Names{"resume node002", "keep node002"}));
}

TEST_F(FleetControllerTest, ANameThatWasRemovedAndIsStillListedIsOrderedOnce) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.lies = true;
  EXPECT_EQ(round().removed, Names{"node002"});
  world.unseen = {"node002"};
  world.executors["node001"].usage = Points{20};
  world.take_log();
  for (int minute = 0; minute < 5; ++minute) round();
  EXPECT_EQ(world.take_log(), Names{"add node002"}) << "it counts as booting meanwhile";
  EXPECT_EQ(controller->state().ordered.size(), 1U);
}

TEST_F(FleetControllerTest, WhatAnotherClientResumesStays) {
  world.put("node001", 5);
  world.put("node002", 0, minutes(9));
  world.executors["node002"].up = minutes(11);
  round();
  world.take_log();
  world.executors["node002"].draining = false;
  world.executors["node002"].up = minutes(1);
  EXPECT_TRUE(says(round(), "another client resumed node002"));
  EXPECT_EQ(world.take_log(), Names{"keep node002"});
}

TEST_F(FleetControllerTest, AFleetWithAnUnseenOneLosesNobody) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.put("node003", 0);
  world.unseen = {"node001"};
  for (int i = 0; i < 3; ++i) {
    const ReconcileResult each = round();
    EXPECT_EQ(each.unseen, 1);
    EXPECT_TRUE(each.decision.remove.empty());
  }
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, NobodyDrainedIsRemovedWhileAnotherIsNotSeen) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  world.take_log();
  world.unseen = {"node001"};
  EXPECT_TRUE(says(round(), "node002 is not removed while 1 executor is not seen"));
  EXPECT_EQ(world.take_log(), Names{});
  world.unseen.clear();
  EXPECT_EQ(round().removed, Names{"node002"});
}

TEST_F(FleetControllerTest, WhileTheFleetIsNotSeenNothingIsDone) {
  world.put("node001", 20);
  EXPECT_EQ(round().desired, 2);
  world.take_log();
  world.blind = "Prometheus is gone";
  const ReconcileResult blind = round();
  EXPECT_EQ(blind.desired, 2) << "the last known one";
  EXPECT_EQ(blind.decision.reason, ScaleReason::blind);
  EXPECT_EQ(world.take_log(), Names{});
}

TEST_F(FleetControllerTest, AScalerThatFailsIsAskedLessAndLess) {
  world.put("node001", 20);
  world.add_problem = "no quota";
  std::vector<int> asked_at;
  for (int minute = 0; minute < 40; ++minute) {
    const ReconcileResult each = round();
    if (each.failed_adds > 0) {
      asked_at.push_back(minute);
      EXPECT_TRUE(says(each, "no quota"));
    } else {
      EXPECT_TRUE(says(each, "next try in"));
    }
  }
  EXPECT_EQ(asked_at, (std::vector<int>{0, 1, 3, 7, 15, 31}));
  world.add_problem.clear();
  for (int minute = 0; minute < 40; ++minute) round();
  EXPECT_EQ(controller->state().adding.failures, 0);
  EXPECT_TRUE(world.executors.contains("node002"));
}

TEST_F(FleetControllerTest, AnOrderThatFailedDoesNotCountAsAChange) {
  settings.rules.stabilise = minutes(30);
  world.put("node001", 20);
  world.add_problem = "no quota";
  round(minutes(31));
  EXPECT_FALSE(controller->state().rules.last_change.has_value());
}

TEST_F(FleetControllerTest, AScalerThatLiesAboutAnAddIsNoticedAndNotAskedForMoreMeanwhile) {
  world.put("node001", 20);
  world.lies = true;
  EXPECT_EQ(round().added, Names{"node002"});
  for (int minute = 1; minute <= 10; ++minute) EXPECT_TRUE(round().added.empty()) << minute;
  EXPECT_EQ(world.take_log(), Names{"add node002"});
  const ReconcileResult found_out = round();
  EXPECT_TRUE(says(found_out, "node002 was ordered but not seen for 10min"));
  EXPECT_EQ(found_out.failed_adds, 1);
}

TEST_F(FleetControllerTest, AnOrderThatWasCutOffCountsUntilItIsKnown) {
  world.put("node001", 20);
  world.add_problem = "add: killed after 120 s";
  world.cut_off = true;
  const ReconcileResult cut = round();
  EXPECT_TRUE(cut.added.empty());
  EXPECT_EQ(cut.failed_adds, 1);
  for (int minute = 1; minute <= 5; ++minute) round();
  EXPECT_EQ(world.take_log(), Names{"add node002"}) << "it may come still";
  world.put("node002", 0, minutes(1));
  world.add_problem.clear();
  round();
  EXPECT_EQ(controller->state().adding.failures, 0);
  EXPECT_TRUE(controller->state().ordered.empty());
}

TEST_F(FleetControllerTest, OneThatAnotherClientDrainsIsPointedOutOnce) {
  world.put("node001", 0);
  world.put("node002", 5);
  world.executors["node002"].draining = true;
  const ReconcileResult first = round();
  EXPECT_TRUE(says(first, "node002 is being drained by another client"));
  world.unseen.insert("node002");
  EXPECT_FALSE(says(round(), "node002 is being drained"));
  world.unseen.clear();
  EXPECT_FALSE(says(round(), "node002 is being drained"));
  world.executors["node002"].draining = false;
  round();
  world.executors["node002"].draining = true;
  EXPECT_TRUE(says(round(), "node002 is being drained"));
}

TEST_F(FleetControllerTest, AScalerThatGoesOnLyingIsAskedLessAndLess) {
  settings.boot = minutes(2);
  world.put("node001", 20);
  world.lies = true;
  std::vector<int> asked_at;
  for (int minute = 0; minute < 60; ++minute) {
    if (!round().added.empty()) asked_at.push_back(minute);
  }
  ASSERT_GE(asked_at.size(), 4U);
  for (std::size_t i = 2; i < asked_at.size(); ++i) {
    EXPECT_GT(asked_at[i] - asked_at[i - 1], asked_at[i - 1] - asked_at[i - 2]) << i;
  }
}

TEST_F(FleetControllerTest, ANewcomerThatIsListedBeforeItAnswersIsTheOrder) {
  world.put("vm-a", 20);
  world.lies = true;
  round();
  world.put("vm-b", 0, seconds(0));
  world.unseen = {"vm-b"};
  round();
  world.unseen.clear();
  round();
  EXPECT_TRUE(controller->state().ordered.empty());
}

TEST_F(FleetControllerTest, AScalerThatLiesAboutARemovalIsNoticedAndTheExecutorCounted) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.lies = true;
  round();
  EXPECT_EQ(round().removed, Names{"node002"});
  ReconcileResult last;
  for (int minute = 0; minute < 6; ++minute) {
    last = round();
    EXPECT_EQ(last.observation.executors.size(), 2U);
  }
  EXPECT_TRUE(says(last, "reported that it removed node002, which still answers after 5min"));
  EXPECT_EQ(last.failed_removes, 1);
}

TEST_F(FleetControllerTest, WhatBootsCountsAndIsNotOrderedTwice) {
  settings.rules.add = 5;
  world.put("node001", 20);
  world.lies = true;
  round();
  const ReconcileResult second = round();
  EXPECT_EQ(second.decision.numbers.booting, 1);
  EXPECT_EQ(second.decision.numbers.executors, 2);
  EXPECT_EQ(world.take_log(), Names{"add node002"});
}

TEST_F(FleetControllerTest, ARestartInTheMiddleOfADrainGoesOnWithIt) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  restart();
  EXPECT_EQ(round().removed, Names{"node002"});
}

TEST_F(FleetControllerTest, AnOrderIsKeptBeforeItIsGiven) {
  world.put("node001", 20);
  world.lies = true;
  round();
  ASSERT_GE(world.saved.size(), 2U);
  const FleetState& before = world.saved[world.saved.size() - 2];
  ASSERT_EQ(before.ordered.size(), 1U);
  EXPECT_EQ(before.ordered[0].name, "node002");
}

TEST_F(FleetControllerTest, AnExecutorThatCannotBeDrainedStays) {
  world.put("node001", 5);
  world.put("node002", 0);
  world.tell_problem = "401: a token is needed";
  const ReconcileResult first = round();
  EXPECT_TRUE(says(first, "node002 cannot be drained: 401"));
  EXPECT_TRUE(first.drained.empty());
  EXPECT_TRUE(controller->state().departing.empty());
}

TEST_F(FleetControllerTest, JobsOfTheCentralQueueWaitSinceItWasLastEmpty) {
  settings.rules.rules = ScaleRules::starcluster;
  settings.rules.wait = minutes(5);
  world.put("node001", 20);
  world.central = 0;
  round();
  world.central = 10;
  EXPECT_EQ(round().decision.reason, ScaleReason::young);
  EXPECT_EQ(round(minutes(5)).decision.reason, ScaleReason::young);
  const ReconcileResult due = round(minutes(1));
  EXPECT_EQ(due.decision.reason, ScaleReason::waited);
  EXPECT_EQ(due.decision.numbers.queued, 200) << "each as much as those that run";
}

TEST_F(FleetControllerTest, AClockThatIsSetBackChangesNothing) {
  world.put("node001", 5);
  world.put("node002", 0);
  round();
  EXPECT_EQ(round(-std::chrono::hours(500)).removed, Names{"node002"});
  EXPECT_TRUE(round(std::chrono::hours(2000)).removed.empty());
}

TEST_F(FleetControllerTest, NewcomersOfOtherNamesAreTheOldestOrders) {
  settings.rules.add = 2;
  world.put("10.0.0.1:9797", 40);
  world.lies = true;
  EXPECT_EQ(round().added, (Names{"001", "002"})) << "neither a port nor an address is counted on";
  world.put("10.0.0.7:9797", 0, seconds(5));
  round();
  EXPECT_EQ(controller->state().ordered.size(), 1U);
}

}  // namespace
}  // namespace sluice

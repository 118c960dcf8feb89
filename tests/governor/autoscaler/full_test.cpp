// Executors under `law: knee` say themselves whether they are full: use / size says little there.
#include <gtest/gtest.h>

#include <algorithm>

#include "fleet.h"

namespace sluice::testing {
namespace {

std::vector<Executor> executors(int count, Fullness fullness, std::int64_t window,
                                std::int64_t usage) {
  std::vector<Executor> all = windows(count, window, usage);
  for (Executor& each : all) each.fullness = fullness;
  return all;
}

TEST(AutoscalerFull, WhatWaitsIsBoughtForWhereAllAreFull) {
  AutoscaleOptions options = window_options();
  options.add = 10;
  // Ten jobs of 10 points; a full one holds 25, and 20 of these are to be used: five more.
  const auto seen_now = seen(executors(2, Fullness::full, 400, 25), queue(10, 1s, 1, 10));
  const ScaleDecision decision = decide_now(seen_now, options);
  EXPECT_EQ(answer_of(decision), "add 5, demand");
  EXPECT_EQ(describe(decision),
            "adds 5 executors: the demand needs 7: 2 of 2 executors full, 100 points requested, a "
            "full one holds 25");
  options.max = 2;
  EXPECT_EQ(answer_of(decide_now(seen_now, options)), "none, at_max");
}

TEST(AutoscalerFull, AnEmptyOneWithARedSensorCountsAsItsWindow) {
  AutoscaleOptions options = window_options(60);
  options.add = 60;
  // Fifty jobs of 10 points; a window of 200, of which 160 are to be used: four.
  EXPECT_EQ(answer_of(decide_now(seen(executors(1, Fullness::red, 200, 0), queue(50, 1s, 1, 10)),
                                 options)),
            "add 4, demand");
}

TEST(AutoscalerFull, ASmallWindowAloneBuysNothing) {
  // By use / size 100 x 10 points on windows of 20 are 60 executors more.
  const auto waits = queue(100, 1s, 1, 10);
  EXPECT_EQ(answer_of(decide_now(seen(executors(3, Fullness::has_room, 20, 20), waits),
                                 window_options(100))),
            "none, fits");
}

TEST(AutoscalerFull, EachThatHasRoomMayTakeAsMuchAsAFullOne) {
  std::vector<Executor> some = executors(4, Fullness::full, 40, 25);
  some[2].fullness = some[3].fullness = Fullness::has_room;
  EXPECT_EQ(answer_of(decide_now(seen(some, queue(4, 1s, 1, 10)), window_options())), "none, fits");
  EXPECT_EQ(answer_of(decide_now(seen(some, queue(5, 1s, 1, 10)), window_options())),
            "add 1, demand");
  some[1].booting = some[3].booting = true;
  some[1].fullness = Fullness::unknown;
  EXPECT_EQ(answer_of(decide_now(seen(some, queue(6, 1s, 1, 10)), window_options())), "none, fits")
      << "what boots will have room";
}

TEST(AutoscalerFull, OneBoundByItsDiskBuys) {
  // It uses an eighth of its window and next to no CPU.
  EXPECT_EQ(answer_of(decide_now(seen(executors(1, Fullness::full, 80, 10), queue(9, 1s, 1, 1)),
                                 window_options())),
            "add 1, demand");
}

TEST(AutoscalerFull, SleepersAreNotScaledIn) {
  // A hundred of them, a point each, on windows that once had to be larger.
  const auto sleepers = executors(4, Fullness::has_room, 400, 25);
  const ScaleDecision decision = decide_now(seen(sleepers), window_options());
  EXPECT_EQ(answer_of(decision), "none, fits");
  EXPECT_EQ(decision.numbers.desired, 4) << "what an HPA takes";
}

TEST(AutoscalerFull, IdleOnesGo) {
  std::vector<Executor> some = idle(executors(4, Fullness::has_room, 40, 0), 50min);
  some[0].usage = Points{1};
  EXPECT_EQ(answer_of(decide_now(seen(some), window_options())),
            "remove node004 node003 node002, idle");
  EXPECT_EQ(action_of(decide_now(seen(some, queue(1, 1s)), window_options())), "none")
      << "what waits may need them";
}

TEST(AutoscalerFull, NobodyGoesForAWhileAfterOneWasFull) {
  std::vector<Executor> some = idle(executors(3, Fullness::has_room, 40, 0), 50min);
  some[0].usage = Points{25};
  some[0].fullness = Fullness::full;
  AutoscaleState state =
      decide(seen(some), start_autoscaler(TimePoint{}), window_options(), kNow).state;
  some[0].fullness = Fullness::has_room;
  const auto later = [&](Duration after) {
    return answer_of(decide(seen(some), state, window_options(), kNow + after).decision);
  };
  EXPECT_EQ(later(1min), "none, fits");
  EXPECT_EQ(later(10min), "none, fits");
  EXPECT_EQ(later(11min), "remove node003 node002, idle");
}

TEST(AutoscalerFull, SensorsThatAreRedEverywhereBuyNothing) {
  const auto waits = queue(50, 1s, 1, 10);
  std::vector<Executor> some = executors(3, Fullness::red, 40, 5);
  EXPECT_EQ(answer_of(decide_now(seen(some, waits), window_options())), "none, runaway");
  AutoscaleOptions four = window_options();
  four.min = 4;
  EXPECT_EQ(answer_of(decide_now(seen(some, waits), four)), "add 1, below_min");
  some[0].fullness = some[1].fullness = Fullness::full;
  EXPECT_EQ(answer_of(decide_now(seen(some, waits), window_options())), "add 1, demand");
  EXPECT_EQ(
      answer_of(decide_now(seen(executors(1, Fullness::red, 40, 5), waits), window_options())),
      "add 1, demand")
      << "it has no witness";
}

TEST(AutoscalerFull, WhereOneDoesNotSayAllCountByTheirWindows) {
  std::vector<Executor> some = executors(4, Fullness::full, 100, 80);
  some[3].fullness = Fullness::unknown;
  EXPECT_EQ(answer_of(decide_now(seen(some), window_options())), "none, fits");
  EXPECT_EQ(answer_of(decide_now(seen(some, queue(1, 1s, 1, 1)), window_options())),
            "add 1, demand");
}

TEST(AutoscalerFull, OnesThatAreNotSeenArePartOfTheFleet) {
  std::vector<Executor> some = executors(2, Fullness::full, 40, 25);
  some[0].blind = some[1].blind = true;
  EXPECT_EQ(action_of(decide_now(seen(some), window_options())), "none");
  std::vector<Executor> quiet = idle(executors(3, Fullness::has_room, 40, 0), 50min);
  quiet[0].blind = true;
  EXPECT_EQ(action_of(decide_now(seen(quiet), window_options())), "none")
      << "nothing is removed because of it";
}

/// A fleet of machines that hold 25 points of compilers each, before they are full.
class Model {
 public:
  explicit Model(AutoscaleOptions options) : options_(options) {}

  /// A minute with so many jobs of 10 points in all; `room` of them fit on one machine.
  void minute(int jobs, int fit, std::int64_t each) {
    std::vector<Executor> fleet;
    int left = jobs;
    for (int i = 0; i < count_; ++i) {
      const int here = std::min(left, fit);
      left -= here;
      fleet.push_back(nodes(count_)[static_cast<std::size_t>(i)]);
      fleet.back().up = minutes_ * 1min;
      fleet.back().usage = Points{here * each};
      fleet.back().used = here;
      fleet.back().window = Points{2 * here * each + 10};
      fleet.back().fullness = here == fit ? Fullness::full : Fullness::has_room;
    }
    ScaleStep step = decide(seen(fleet, queue(left, 1s, 1, 10)), state_, options_, now());
    state_ = std::move(step.state);
    if (step.decision.changes()) state_ = after_change(state_, now());
    count_ += step.decision.add - static_cast<int>(step.decision.remove.size());
    changes_ += step.decision.changes() ? 1 : 0;
    ++minutes_;
  }
  void minutes(int count, int jobs, int fit, std::int64_t each) {
    for (int i = 0; i < count; ++i) minute(jobs, fit, each);
  }
  int executors() const { return count_; }
  int changes() const { return changes_; }

 private:
  TimePoint now() const { return kNow + minutes_ * 1min; }

  AutoscaleOptions options_;
  AutoscaleState state_ = start_autoscaler(TimePoint{});
  int count_ = 1, changes_ = 0, minutes_ = 0;
};

TEST(AutoscalerFull, AFleetGrowsToItsWorkAndSettles) {
  Model model(window_options());
  model.minutes(60, 10, 2, 12);
  EXPECT_EQ(model.executors(), 5) << "two jobs each";
  const int changes = model.changes();
  model.minutes(240, 10, 2, 12);
  EXPECT_EQ(model.executors(), 5);
  EXPECT_EQ(model.changes(), changes);
}

TEST(AutoscalerFull, AFleetOfSleepersStaysAsItIs) {
  Model model(window_options());
  model.minutes(60, 100, 40, 1);
  EXPECT_EQ(model.executors(), 3);
  const int changes = model.changes();
  model.minutes(240, 100, 40, 1);
  EXPECT_EQ(model.executors(), 3);
  EXPECT_EQ(model.changes(), changes);
}

TEST(AutoscalerFull, AFleetThatYieldsToNeighboursDoesNotFlap) {
  Model model(window_options());
  model.minutes(60, 8, 2, 12);
  ASSERT_EQ(model.executors(), 4);
  const int changes = model.changes();
  // Its neighbours take half of each machine every other five minutes.
  for (int i = 0; i < 24; ++i) {
    model.minutes(5, 8, 1, 12);
    model.minutes(5, 8, 2, 12);
  }
  EXPECT_EQ(model.executors(), 8) << "eight jobs, one each in the worst minutes";
  EXPECT_LE(model.changes(), changes + 4);
}

}  // namespace
}  // namespace sluice::testing

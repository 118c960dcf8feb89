// The rules that both rule sets share: booting, draining and unseen executors, clocks, and the
// order of removal.
#include <gtest/gtest.h>

#include "fleet.h"

namespace sluice::testing {
namespace {

TEST(AutoscalerRules, ABootingExecutorCountsAndItsSlotsAreFree) {
  std::vector<Executor> executors = nodes(2);
  executors[1].used = 0;
  executors[1].booting = true;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(8, 1000s)), starcluster_options())),
            "none, fits");
  executors[1].slots = 0;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(8, 1000s)), starcluster_options())),
            "none, fits")
      << "before its slots are known it has as many as the others";
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(9, 1000s)), starcluster_options())),
            "add 1, waited");
}

TEST(AutoscalerRules, WhatIsOrderedIsNotOrderedAgain) {
  std::vector<Executor> executors = nodes(1, 0);
  executors[0].booting = true;
  const AutoscaleState state = after_change(start_autoscaler(TimePoint{}), kNow - 1s);
  const Observation first_one = seen(executors, queue(1, 1s));
  EXPECT_EQ(answer_of(decide(first_one, state, starcluster_options(), kNow).decision),
            "none, not_stable");
}

TEST(AutoscalerRules, ADrainingExecutorCountsAgainstTheMaximumOnly) {
  std::vector<Executor> executors = nodes(5);
  executors[4].draining = true;
  executors[4].used = 0;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(4, 1000s)), starcluster_options(5))),
            "none, at_max");
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(4, 1000s)), starcluster_options(6))),
            "add 1, waited")
      << "its free slots are no use";
  AutoscaleOptions five = starcluster_options(6);
  five.min = 5;
  EXPECT_EQ(answer_of(decide_now(seen(executors), five)), "add 1, below_min");
  executors = idle(nodes(3), 50min);
  executors[2].draining = true;
  AutoscaleOptions two = starcluster_options();
  two.min = 2;
  EXPECT_EQ(answer_of(decide_now(seen(executors), two)), "none, at_min");
}

TEST(AutoscalerRules, WhereNobodyTakesWorkOneIsAddedAtOnce) {
  std::vector<Executor> executors = nodes(1);
  executors[0].draining = true;
  AutoscaleOptions options = starcluster_options();
  options.min = 0;
  const AutoscaleState state = after_change(start_autoscaler(TimePoint{}), kNow);
  EXPECT_EQ(answer_of(decide(seen(executors, queue(1, 1s)), state, options, kNow).decision),
            "add 1, no_slots");
}

TEST(AutoscalerRules, WhatWasNotSeenIsNeverRemoved) {
  std::vector<Executor> executors = idle(nodes(3), 50min);
  EXPECT_EQ(action_of(decide_now(seen(executors), starcluster_options())),
            "remove node003 node002");
  executors[2].blind = true;
  EXPECT_EQ(action_of(decide_now(seen(executors), starcluster_options())), "remove node002");
  executors[0].blind = true;
  EXPECT_EQ(answer_of(decide_now(seen(executors), starcluster_options())), "none, blind")
      << "node002 may be the last one";
}

TEST(AutoscalerRules, WhereNothingIsSeenNothingIsBought) {
  std::vector<Executor> executors = nodes(2);
  for (Executor& executor : executors) executor.blind = true;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(40, 1000s)), starcluster_options())),
            "none, blind");
  executors[0].slots = executors[1].slots = 0;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(40, 1000s)), starcluster_options())),
            "none, blind")
      << "not seen is not the same as no slots";
  Observation nothing = seen({}, queue(40, 1000s));
  nothing.blind = true;
  EXPECT_EQ(answer_of(decide_now(nothing, starcluster_options())), "none, blind");
  EXPECT_EQ(answer_of(decide_now(nothing, window_options())), "none, blind");
}

TEST(AutoscalerRules, AnUnseenExecutorIsTakenAsItWasSeenLast) {
  std::vector<Executor> executors = nodes(2);
  executors[1].blind = true;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(4, 1000s)), starcluster_options())),
            "add 1, waited");
  executors[1].used = 0;
  EXPECT_EQ(answer_of(decide_now(seen(executors, queue(4, 1000s)), starcluster_options())),
            "none, fits");
}

TEST(AutoscalerRules, MostTimePastGoesFirstThenTheHighestName) {
  std::vector<Executor> executors = idle(nodes(5), 50min);
  executors[1].up = 58min;
  executors[2].up = 115min;
  executors[3].id = "node1000";
  executors[4].id = "node999";
  AutoscaleOptions options = starcluster_options();
  EXPECT_EQ(action_of(decide_now(seen(executors), options)),
            "remove node002 node003 node1000 node999");
  options.min = 3;
  EXPECT_EQ(action_of(decide_now(seen(executors), options)), "remove node002 node003");
  options.billing = 0s;
  EXPECT_EQ(action_of(decide_now(seen(executors), options)), "remove node003 node002")
      << "times up are not reduced";
}

TEST(AutoscalerRules, AClockThatJumpsNeitherBuysNorRemoves) {
  const AutoscaleOptions options = starcluster_options();
  AutoscaleState state = after_change(start_autoscaler(TimePoint{}), kNow);
  const Observation full = seen(nodes(2), queue(40, 1000s));
  const ScaleStep back = decide(full, state, options, kNow - 10h);
  EXPECT_EQ(answer_of(back.decision), "none, not_stable");
  EXPECT_EQ(decide(full, back.state, options, kNow - 10h + 180s).decision.add, 1)
      << "and it does not stop for as long as the clock went back";
  const Observation calm = seen(nodes(2), queue(40, 10s));
  EXPECT_EQ(answer_of(decide(calm, state, options, kNow + 10000h).decision), "none, young");
  std::vector<Executor> early = idle(nodes(2), -10h);
  EXPECT_EQ(answer_of(decide_now(seen(early), options)), "none, none_due");
}

TEST(AutoscalerRules, AChangeThatWasNotDoneIsDecidedAnew) {
  const Observation full = seen(nodes(1), queue(10, 901s));
  const ScaleStep first = decide(full, start_autoscaler(TimePoint{}), starcluster_options(), kNow);
  EXPECT_EQ(decide(full, first.state, starcluster_options(), kNow + 60s).decision.add, 1);
  const AutoscaleState done = after_change(first.state, kNow);
  EXPECT_EQ(answer_of(decide(full, done, starcluster_options(), kNow + 60s).decision),
            "none, not_stable");
}

TEST(AutoscalerRules, OneThatRefusesToDrainCountsAndTheNextGoesInItsPlace) {
  AutoscaleOptions options = starcluster_options();
  options.min = 3;
  Observation fleet = seen(idle(nodes(4), 50min));
  EXPECT_EQ(answer_of(decide_now(fleet, options)), "remove node004, idle");
  fleet.executors[3].undrainable = true;
  const ScaleDecision next = decide_now(fleet, options);
  EXPECT_EQ(answer_of(next), "remove node003, idle");
  EXPECT_EQ(next.numbers.executors, 4);
  EXPECT_EQ(next.numbers.undrainable, 1);
  fleet.executors[1].undrainable = fleet.executors[2].undrainable = true;
  const ScaleDecision none = decide_now(fleet, options);
  EXPECT_EQ(answer_of(none), "none, none_due");
  EXPECT_NE(describe(none).find("could not be drained"), std::string::npos) << describe(none);
}

TEST(AutoscalerRules, TheMasterGoesOnlyWhenAsked) {
  const Observation last = seen(idle(nodes(1), 50min));
  AutoscaleOptions options = starcluster_options();
  EXPECT_EQ(answer_of(decide_now(last, options)), "none, at_min");
  options.kill_master = true;
  EXPECT_EQ(options.least(), 0);
  EXPECT_EQ(answer_of(decide_now(last, options)), "remove node001, done");
  options.min = 1;
  EXPECT_EQ(answer_of(decide_now(last, options)), "remove node001, done") << "before at_min";
  EXPECT_EQ(answer_of(decide_now(seen(idle(nodes(1), 44min)), options)), "none, at_min");
  EXPECT_EQ(answer_of(decide_now(seen(nodes(1)), options)), "none, at_min") << "it works";
  options.rules = ScaleRules::window;
  EXPECT_EQ(answer_of(decide_now(last, options)), "remove node001, done");
}

TEST(AutoscalerRules, EveryDecisionIsASentenceWithItsNumbers) {
  const auto sentence = [](const Observation& observation) {
    return describe(decide_now(observation, starcluster_options()));
  };
  EXPECT_EQ(sentence(seen(nodes(1), queue(10, 901s))),
            "adds 1 executor: 10 slots requested, 0 free, and the longest wait is 15 min 01 s");
  EXPECT_EQ(sentence(seen(nodes(5), queue(10, 901s))),
            "no change: 5 executors, and max is 5; the demand is higher");
  EXPECT_EQ(sentence(seen(idle(nodes(2), 50min))),
            "removes 1 executor: 1 executor idle and far enough into the billing period");
}

}  // namespace
}  // namespace sluice::testing

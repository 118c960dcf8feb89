// `rules: window`: the number of windows the demand needs.
#include <gtest/gtest.h>

#include <cmath>

#include "fleet.h"

namespace sluice::testing {
namespace {

/// An autoscaler that polls once a minute and whose decisions are not carried out.
struct Watch {
  AutoscaleOptions options = window_options();
  AutoscaleState state = start_autoscaler(TimePoint{});
  TimePoint now = kNow;

  ScaleDecision observe(const Observation& observation) {
    ScaleStep step = decide(observation, state, options, now);
    state = std::move(step.state);
    now += 60s;
    return std::move(step.decision);
  }
  ScaleDecision observe(const Observation& observation, int times) {
    ScaleDecision last;
    for (int i = 0; i < times; ++i) last = observe(observation);
    return last;
  }
};

TEST(AutoscalerWindow, TheDemandOverTheTargetOfTheMeanWindow) {
  AutoscaleOptions options = window_options();
  options.add = 10;
  // 4 x 80 in use and 16 x 10 requested: 480 points, 80 of each window of 100.
  const ScaleDecision decision =
      decide_now(seen(windows(4, 100, 80), queue(16, 1s, 1, 10)), options);
  EXPECT_EQ(answer_of(decision), "add 2, demand");
  EXPECT_EQ(decision.numbers.desired, 6);
  EXPECT_EQ(decision.numbers.usage, Points{320});
  EXPECT_EQ(decision.numbers.pending, Points{160});
  EXPECT_EQ(describe(decision),
            "adds 2 executors: the demand needs 6: 320 points in use and 160 requested, at 100 "
            "points per window");
  EXPECT_EQ(answer_of(decide_now(seen(windows(4, 100, 80)), options)), "none, fits")
      << "exactly the target";
  EXPECT_EQ(decide_now(seen(windows(4, 100, 80), queue(1, 1s, 1, 1)), options).add, 1)
      << "and one point above it";
}

TEST(AutoscalerWindow, AtTheMaximumADemandAboveItDoesNotFit) {
  const AutoscaleOptions options = window_options(4);
  EXPECT_EQ(answer_of(decide_now(seen(windows(4, 100, 80)), options)), "none, fits");
  EXPECT_EQ(answer_of(decide_now(seen(windows(4, 100, 80), queue(1, 1s, 1, 10)), options)),
            "none, at_max");
}

TEST(AutoscalerWindow, NobodyWaitsForAMinuteBeforeItIsAskedFor) {
  EXPECT_EQ(decide_now(seen(windows(1, 100, 80), queue(2, 0s, 1, 80)), window_options()).add, 1)
      << "`wait` is StarCluster's";
}

TEST(AutoscalerWindow, HeldJobsAndDrainingExecutorsAreNotCounted) {
  std::vector<QueuedJob> jobs = queue(16, 1s, 1, 10);
  for (QueuedJob& job : jobs) job.held = true;
  EXPECT_EQ(answer_of(decide_now(seen(windows(4, 100, 80), jobs), window_options())), "none, fits");
  std::vector<Executor> executors = windows(4, 100, 80);
  executors[3].draining = true;
  executors[3].window = Points{1000};
  const ScaleDecision decision = decide_now(seen(executors), window_options());
  EXPECT_EQ(answer_of(decision), "none, fits");
  EXPECT_EQ(decision.numbers.usage, Points{240});
  EXPECT_EQ(decision.numbers.mean, 100);
}

TEST(AutoscalerWindow, TheMeanNeverCountsAsLessThanTheFloor) {
  // 8 points in use, 32 requested; at windows of 2 that would be 25 executors.
  EXPECT_EQ(
      decide_now(seen(windows(4, 2, 2), queue(32, 1s, 1, 1)), window_options()).numbers.desired, 5);
}

TEST(AutoscalerWindow, TheMeanIsSmoothed) {
  Watch watch;
  watch.observe(seen(windows(1, 100, 50)), 5);
  EXPECT_NEAR(watch.observe(seen(windows(1, 50, 40))).numbers.mean, 100 - 50 * (1 - std::exp(-0.1)),
              1e-9);
  EXPECT_NEAR(watch.observe(seen(windows(1, 50, 40)), 9).numbers.mean,
              100 - 50 * (1 - std::exp(-1)), 1e-9);
  watch.options.smooth = 0s;
  EXPECT_EQ(watch.observe(seen(windows(1, 30, 20))).numbers.mean, 30);
}

TEST(AutoscalerWindow, AJobGreaterThanAnyWindowTakesOneExecutor) {
  EXPECT_EQ(
      answer_of(decide_now(seen(windows(1, 100, 0), queue(1, 1s, 1, 5000)), window_options())),
      "none, fits");
  const ScaleDecision decision =
      decide_now(seen(windows(1, 100, 80), queue(1, 1s, 1, 5000)), window_options());
  EXPECT_EQ(decision.numbers.desired, 2);
}

TEST(AutoscalerWindow, ABootingExecutorIsOneOfThoseDesired) {
  std::vector<Executor> executors = windows(2, 100, 80);
  executors[1].booting = true;
  executors[1].window = executors[1].usage = Points{0};
  const Observation two = seen(executors, queue(8, 1s, 1, 10));
  EXPECT_EQ(answer_of(decide_now(two, window_options())), "none, fits");
  EXPECT_EQ(decide_now(two, window_options()).numbers.mean, 100);
}

TEST(AutoscalerWindow, WithoutAWindowToDivideByNothingIsBought) {
  EXPECT_EQ(answer_of(decide_now(seen(nodes(2), queue(40, 1h)), window_options())), "none, blind");
  AutoscaleOptions three = window_options();
  three.min = 3;
  EXPECT_EQ(answer_of(decide_now(seen(nodes(2), queue(40, 1h)), three)), "add 1, below_min");
}

TEST(AutoscalerWindow, WithoutExecutorsTheFirstIsAddedAtOnce) {
  AutoscaleOptions options = window_options();
  options.add = 10;
  options.min = 0;
  EXPECT_EQ(answer_of(decide_now(seen({}), options)), "none, at_min");
  const AutoscaleState state = after_change(start_autoscaler(TimePoint{}), kNow);
  const auto answer = [&](int jobs) {
    return answer_of(decide(seen({}, queue(jobs, 1s)), state, options, kNow).decision);
  };
  EXPECT_EQ(answer(40), "add 1, no_slots") << "nobody knows yet what one can hold";
  options.min = 2;
  EXPECT_EQ(answer(0), "add 2, below_min");
}

TEST(AutoscalerWindow, IdleExecutorsGoDownToTheDemand) {
  std::vector<Executor> executors = idle(windows(5, 100, 80), 50min);
  executors[0].usage = Points{80};
  const Observation calm = seen(executors, queue(8, 1s, 1, 10));
  EXPECT_EQ(answer_of(decide_now(calm, window_options())), "remove node005 node004 node003, idle");
  for (Executor& executor : executors) executor.up = 44min;
  EXPECT_EQ(answer_of(decide_now(seen(executors), window_options())), "none, none_due");
}

TEST(AutoscalerWindow, AnUnseenExecutorMayHaveFilledItsWindow) {
  std::vector<Executor> executors = idle(windows(4, 100, 0), 50min);
  EXPECT_EQ(action_of(decide_now(seen(executors), window_options())),
            "remove node004 node003 node002");
  executors[0].blind = true;
  // Three were seen; the fourth may hold 100 points, which takes two executors at 80 each.
  EXPECT_EQ(action_of(decide_now(seen(executors), window_options())), "remove node004");
}

/// Healthy windows of 100 for a while, then windows as in `after` for `minutes`.
struct Collapse {
  Watch watch;
  ScaleDecision last;

  Collapse(std::vector<Executor> after, int minutes, int waiting = 16) {
    watch.observe(seen(windows(4, 100, 80)), 30);
    last = watch.observe(seen(std::move(after), queue(waiting, 1h, 1, 10)), minutes);
  }
};

TEST(AutoscalerWindow, WindowsThatShrinkEverywhereBuyNothing) {
  const Collapse collapse(windows(4, 40, 40), 60);
  EXPECT_EQ(answer_of(collapse.last), "none, runaway");
  EXPECT_EQ(collapse.last.numbers.mean, 100) << "what they were";
  EXPECT_EQ(collapse.last.numbers.mean_now, 40);
}

TEST(AutoscalerWindow, EvenTheQueueThatPilesUpThenBuysNothing) {
  const Collapse collapse(windows(4, 40, 40), 60, 400);
  EXPECT_EQ(answer_of(collapse.last), "none, runaway");
}

TEST(AutoscalerWindow, EvenThenThereAreAtLeastTheFewest) {
  Collapse collapse(windows(4, 40, 40), 10);
  collapse.watch.options.min = 5;
  EXPECT_EQ(answer_of(collapse.watch.observe(seen(windows(4, 40, 40)))), "add 1, below_min");
}

TEST(AutoscalerWindow, EvenThenNothingThatIsNeededIsRemoved) {
  Collapse collapse(windows(4, 40, 40), 10);
  std::vector<Executor> executors = idle(windows(4, 40, 0), 50min);
  executors[0].usage = Points{40};
  EXPECT_EQ(action_of(collapse.watch.observe(seen(executors, queue(5, 1s, 1, 10)))),
            "remove node004");
}

TEST(AutoscalerWindow, OneWindowThatShrinksIsNotEverywhere) {
  std::vector<Executor> executors = windows(4, 100, 80);
  executors[2].window = executors[2].usage = Points{20};
  EXPECT_EQ(answer_of(Collapse(executors, 30).last), "add 1, demand");
  Watch alone;
  alone.observe(seen(windows(1, 100, 80)), 30);
  EXPECT_EQ(answer_of(alone.observe(seen(windows(1, 40, 40), queue(8, 1s, 1, 10)), 30)),
            "add 1, demand")
      << "it has no witness";
}

TEST(AutoscalerWindow, WindowsThatGrowAgainCountAsTheyAre) {
  Collapse collapse(windows(4, 40, 40), 60);
  EXPECT_TRUE(collapse.watch.state.shrunk_since.has_value());
  collapse.watch.observe(seen(windows(4, 89, 80)));
  EXPECT_TRUE(collapse.watch.state.shrunk_since.has_value());
  collapse.watch.observe(seen(windows(4, 90, 80)));
  EXPECT_FALSE(collapse.watch.state.shrunk_since.has_value());
  EXPECT_EQ(answer_of(collapse.watch.observe(seen(windows(4, 90, 72), queue(16, 1s, 1, 10)))),
            "add 1, demand");
}

TEST(AutoscalerWindow, AfterTheLookbackSmallWindowsAreTheUsualOnes) {
  Collapse collapse(windows(4, 40, 40), 180);
  EXPECT_EQ(answer_of(collapse.last), "none, runaway");
  collapse.watch.observe(seen(windows(4, 40, 40), queue(16, 1h, 1, 10)));
  EXPECT_FALSE(collapse.watch.state.shrunk_since.has_value());
  const ScaleDecision later =
      collapse.watch.observe(seen(windows(4, 40, 40), queue(16, 1h, 1, 10)), 60);
  EXPECT_EQ(answer_of(later), "add 1, demand");
}

TEST(AutoscalerWindow, SlowShrinkingIsNotAllAtOnce) {
  Watch watch;
  for (int window = 100; window > 40; --window) {
    watch.observe(seen(windows(4, window, window)), 5);
    EXPECT_FALSE(watch.state.shrunk_since.has_value()) << window;
  }
}

TEST(AutoscalerWindow, ARestartChangesNothing) {
  Collapse collapse(windows(4, 40, 40), 60);
  const AutoscaleState kept = collapse.watch.state;
  Watch again;
  again.state = kept;
  again.now = collapse.watch.now;
  const Observation next = seen(windows(4, 40, 40), queue(16, 1h, 1, 10));
  EXPECT_EQ(again.observe(next), collapse.watch.observe(next));
  EXPECT_EQ(again.state, collapse.watch.state);
}

}  // namespace
}  // namespace sluice::testing

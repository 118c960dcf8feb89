#include <gtest/gtest.h>

#include <vector>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::core_of;
using fakes::costing;
using fakes::known;
using fakes::show;
using fakes::window_of;

SensorPolicy policy_of(OnError on_error, Acts acts = Acts::gate) {
  SensorPolicy policy;
  policy.on_error = on_error;
  policy.acts = acts;
  return policy;
}

bool admits(Core& core, TimePoint now) {
  const auto result = core.try_admit(costing(1), now);
  if (const auto* admitted = std::get_if<Admitted>(&result)) {
    core.finish(admitted->slot, Outcome::ok, now);
    return true;
  }
  return false;
}

TEST(CoreSensors, WorstRedSensorStopsAdmissionAndIsNamed) {
  Core core = core_of(window_of(20, 20), {known("load"), known("memory")});
  show(core, {1.1, 2.0}, at(0));
  const auto refusal = std::get<Refusal>(core.try_admit(costing(3), at(0)));
  EXPECT_EQ(refusal.code, RefusalCode::sensor);
  EXPECT_EQ(refusal.binding, "memory");
  EXPECT_EQ(refusal.cost, Points{3});
  show(core, {1.1, 0.1}, at(1));
  EXPECT_EQ(std::get<Refusal>(core.try_admit(costing(3), at(1))).binding, "load");
}

TEST(CoreSensors, StayRedUntilBelowResume) {
  Core core = core_of(window_of(20, 20), {known("load")});
  show(core, {1.0}, at(0));
  EXPECT_FALSE(admits(core, at(0)));
  show(core, {0.95}, at(1));
  EXPECT_FALSE(admits(core, at(1)));
  show(core, {0.89}, at(2));
  EXPECT_TRUE(admits(core, at(2)));
  show(core, {0.95}, at(3));
  EXPECT_TRUE(admits(core, at(3)));
}

TEST(CoreSensors, FailingSensorActsAsItsPolicySays) {
  struct Row {
    OnError on_error;
    bool after_green, after_red;
  };
  for (const Row& row : std::vector<Row>{{OnError::hold, true, false},
                                         {OnError::red, false, false},
                                         {OnError::green, true, true},
                                         {OnError::ignore, true, true}}) {
    for (const bool was_red : {false, true}) {
      Core core = core_of(window_of(20, 20), {known("load", policy_of(row.on_error))});
      show(core, {was_red ? 2.0 : 0.1}, at(0));
      core.observe({{fakes::failed(at(1)), Duration{0}}}, at(1));
      EXPECT_EQ(admits(core, at(1)), was_red ? row.after_red : row.after_green)
          << to_string(row.on_error) << was_red;
      EXPECT_EQ(core.status(at(1)).sensors[0].failures, 1u);
      EXPECT_EQ(core.status(at(1)).sensors[0].ignored, row.on_error == OnError::ignore);
    }
  }
}

TEST(CoreSensors, ReadingOlderThanMaxAgeCountsAsAFailure) {
  Core core = core_of(window_of(20, 20), {known("load", policy_of(OnError::red))});
  const Measurement old = fakes::measured(at(0), 0.1);
  core.observe({{old, Duration{0}}}, at(10));
  EXPECT_TRUE(admits(core, at(10)));
  core.observe({{old, Duration{0}}}, at(10.5));
  EXPECT_FALSE(admits(core, at(10.5)));
  EXPECT_FALSE(core.status(at(10.5)).sensors[0].fresh);
  EXPECT_TRUE(core.status(at(10.5)).sensors[0].up);
}

TEST(CoreSensors, APassJudgesTheAgeOfReadingsWithoutWaitingForASweep) {
  Core core = core_of(window_of(20, 20), {known("load", policy_of(OnError::red))});
  show(core, {0.1}, at(0));
  core.submit(costing(1), at(19));
  EXPECT_TRUE(core.pass(at(20)).empty());
  show(core, {0.1}, at(21));
  EXPECT_EQ(core.pass(at(21)).size(), 1u);
}

TEST(CoreSensors, WindowDoesNotGrowOnAStaleSensor) {
  Core core = core_of(window_of(20, 100), {known("load", policy_of(OnError::hold))});
  core.try_admit(costing(20), at(0));
  show(core, {0.1}, at(0));
  EXPECT_TRUE(core.adjust_window(at(1)));
  core.try_admit(costing(10), at(1));
  EXPECT_FALSE(core.adjust_window(at(20)));
  show(core, {0.1}, at(21));
  EXPECT_TRUE(core.adjust_window(at(21)));
}

TEST(CoreSensors, SameFailedAttemptIsCountedOnce) {
  Core core = core_of(window_of(20, 20), {known("disk")});
  for (int i = 0; i < 5; ++i) core.observe({{fakes::failed(at(1)), Duration{0}}}, at(1.0 + i));
  EXPECT_EQ(core.status(at(5)).sensors[0].failures, 1u);
}

TEST(CoreSensors, ObserveNamesTheSensorsThatChanged) {
  Core core = core_of(window_of(20, 20), {known("load"), known("disk")});
  show(core, {0.1, 0.1}, at(0));
  using Names = std::vector<std::string_view>;
  const auto sweep = [&](Measurement load, Measurement disk, TimePoint now) {
    return core.observe({{std::move(load), Duration{0}}, {std::move(disk), Duration{0}}}, now);
  };
  using fakes::failed;
  using fakes::measured;
  EXPECT_EQ(sweep(measured(at(1), 0.2), measured(at(1), 0.2), at(1)), Names{});
  EXPECT_EQ(sweep(measured(at(2), 1.2), measured(at(2), 0.2), at(2)), Names{"load"});
  EXPECT_EQ(sweep(measured(at(3), 1.3), failed(at(3)), at(3)), Names{"disk"});
  EXPECT_EQ(sweep(measured(at(4), 0.1), measured(at(4), 0.2), at(4)), (Names{"load", "disk"}));
}

TEST(CoreSensors, PauseNeverCollapsesTheWindow) {
  for (const Law law : {Law::rfc, Law::adaptive}) {
    for (const Switch operated : {Switch::paused, Switch::draining}) {
      GovernorOptions options = window_of(50, 100);
      options.window.law = law;
      options.window.idle_restart = std::chrono::hours(100);
      Core core = core_of(options, {known("load", policy_of(OnError::hold, Acts::congestion))});
      core.operate(operated);
      for (int second = 1; second < 600; ++second) {
        show(core, {0.1}, at(second));
        EXPECT_FALSE(core.adjust_window(at(second)));
      }
      EXPECT_EQ(core.size(), Points{50});
    }
  }
}

TEST(CoreSensors, StatusShowsThePauseAsItIs) {
  Core core = core_of(window_of(20, 20));
  const auto pause = [&] { return core.status(at(0)).sensors[0]; };
  EXPECT_EQ(pause().name, "pause");
  EXPECT_FALSE(pause().red);
  EXPECT_EQ(pause().reading->conditions[0].value, 0);
  core.operate(Switch::paused);
  EXPECT_TRUE(core.status(at(0)).paused);
  EXPECT_TRUE(pause().red);
  EXPECT_EQ(pause().reading->conditions[0].value, 1);
  EXPECT_EQ(pause().reading->sentence, "paused");
  core.operate(Switch::draining);
  EXPECT_FALSE(core.status(at(0)).paused);
  EXPECT_TRUE(core.status(at(0)).draining);
  EXPECT_EQ(pause().reading->sentence, "draining");
}

TEST(CoreSensors, RedCongestionSensorCutsTheWindowAndARedGateFreezesIt) {
  GovernorOptions options = window_of(50, 100);
  options.window.law = Law::adaptive;
  for (const Acts acts : {Acts::congestion, Acts::gate}) {
    Core core = core_of(options, {known("load", policy_of(OnError::hold, acts))});
    core.try_admit(costing(50), at(0));
    show(core, {1.5}, at(1));
    const auto change = core.adjust_window(at(1));
    EXPECT_EQ(change.has_value(), acts == Acts::congestion);
    if (!change) continue;
    EXPECT_EQ(change->cause, WindowCause::red);
    EXPECT_EQ(change->sensor, "load");
    EXPECT_EQ(core.status(at(1)).counters.window_decreases[static_cast<int>(WindowCause::red)], 1u);
  }
}

TEST(CoreSensors, ACutByASensorBelowItsLimitSaysUntilWhenItIsRed) {
  GovernorOptions options = window_of(50, 100);
  options.window.law = Law::adaptive;
  Core core = core_of(options, {known("load", policy_of(OnError::hold, Acts::congestion))});
  core.try_admit(costing(50), at(0));
  show(core, {1.5}, at(1));
  show(core, {0.95}, at(2));
  const auto change = core.adjust_window(at(2));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->said, "dialled, red until below 90% of that");
}

TEST(CoreSensors, WindowGrowsForALockFreeRefusal) {
  GovernorOptions options = window_of(20, 100);
  options.window.law = Law::adaptive;
  options.window.round = std::chrono::seconds(15);
  for (const bool refused_lock_free : {false, true}) {
    Core core = core_of(options);
    core.try_admit(costing(10), at(0));
    if (refused_lock_free) core.record_refused_for_window();
    core.adjust_window(at(1));
    EXPECT_EQ(core.adjust_window(at(16)).has_value(), refused_lock_free);
  }
}

TEST(CoreSensors, WindowGrowsForAJobThatWaitedAndWasCancelled) {
  GovernorOptions options = window_of(20, 100);
  options.window.law = Law::adaptive;
  options.window.round = std::chrono::seconds(15);
  Core core = core_of(options);
  core.try_admit(costing(10), at(0));
  core.submit(costing(15), at(0));
  core.pass(at(0));
  core.cancel(JobId{2});
  core.adjust_window(at(1));
  EXPECT_TRUE(core.adjust_window(at(16)));
}

}  // namespace
}  // namespace sluice

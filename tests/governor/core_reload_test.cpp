#include <gtest/gtest.h>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::code_of;
using fakes::core_of;
using fakes::costing;
using fakes::fixed_window;
using fakes::flat;
using fakes::known;
using fakes::window_of;

TEST(CoreReload, KeepsWhatRunsAndWhatWaitsAtTheCostThatTheNewModelPredicts) {
  Core core = core_of(fixed_window(20));
  const auto running = std::get<Admitted>(core.try_admit(costing(15), at(0)));
  core.submit(costing(10, 2), at(1));
  core.submit(JobRequest{}, at(2));
  core.reload(fixed_window(40), flat(9), {}, at(3));
  EXPECT_EQ(core.usage(), Points{15});
  EXPECT_EQ(core.pending(), 2u);
  EXPECT_EQ(core.job(JobId{3}, at(0))->cost, Points{9});
  core.submit(JobRequest{}, at(3));
  EXPECT_EQ(core.job(JobId{4}, at(3))->cost, Points{9});
  EXPECT_EQ(core.pass(at(3)).size(), 2u);
  core.finish(running.slot, Outcome::ok, at(4));
  EXPECT_EQ(core.usage(), Points{19});
}

TEST(CoreReload, MovesTheWindowIntoItsNewBoundsAndSaysSo) {
  Core core = core_of(window_of(20, 100));
  GovernorOptions wider = window_of(60, 200);
  wider.window.minimum = Points{50};
  const auto change = core.reload(wider, flat(5), {}, at(7));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->cause, WindowCause::reload);
  EXPECT_EQ(change->from, Points{20});
  EXPECT_EQ(change->to, Points{50});
  EXPECT_EQ(change->at, at(7));
  EXPECT_FALSE(core.reload(wider, flat(5), {}, at(8)));
}

TEST(CoreReload, OpensTheWindowAnewBehindASensorThatWasNeverRead) {
  SensorPolicy closed;
  closed.on_error = OnError::red;
  Core core = core_of(window_of(200, 400), {known("cgroup", closed)});
  core.observe({{{at(0), ReadFailure{"nobody has attached"}}, Duration{0}}}, at(0));
  const auto opened = core.reload(window_of(20, 400), flat(5), {known("cgroup", closed)}, at(1));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->to, Points{20}) << "the host's size was nobody's";
  fakes::show(core, {0.5}, at(2));
  EXPECT_FALSE(core.reload(window_of(30, 400), flat(5), {known("cgroup", closed)}, at(3)))
      << "what was read once may have been learned from";
}

TEST(CoreReload, ShrinkingBelowUsageAdmitsNothingUntilItFits) {
  Core core = core_of(fixed_window(100));
  const auto a = std::get<Admitted>(core.try_admit(costing(40), at(0)));
  const auto b = std::get<Admitted>(core.try_admit(costing(40), at(0)));
  core.submit(costing(10), at(0));
  core.reload(fixed_window(50), flat(5), {}, at(1));
  EXPECT_TRUE(core.pass(at(1)).empty());
  EXPECT_TRUE(core.why_full());
  core.finish(a.slot, Outcome::ok, at(2));
  EXPECT_EQ(core.pass(at(2)).size(), 1u);
  core.finish(b.slot, Outcome::ok, at(3));
  EXPECT_EQ(core.usage(), Points{10});
}

TEST(CoreReload, PendingJobAboveTheNewMaximumStillRunsAlone) {
  Core core = core_of(fixed_window(100));
  const auto a = std::get<Admitted>(core.try_admit(costing(30), at(0)));
  core.submit(costing(80), at(0));
  core.reload(fixed_window(50), flat(5), {}, at(1));
  EXPECT_TRUE(core.pass(at(1)).empty());
  core.finish(a.slot, Outcome::ok, at(2));
  EXPECT_EQ(core.pass(at(2)).size(), 1u);
}

TEST(CoreReload, SensorsOfAKnownNameKeepWhatWasSeenOfThem) {
  Core core = core_of(fixed_window(20), {known("load"), known("disk")});
  core.observe({{fakes::measured(at(0), 1.5), Duration{0}}, {fakes::failed(at(0)), Duration{0}}},
               at(0));
  core.reload(fixed_window(20), flat(5), {known("pids"), known("disk"), known("load")}, at(1));
  const auto sensors = core.status(at(1)).sensors;
  ASSERT_GE(sensors.size(), 3u);
  EXPECT_EQ(sensors[0].name, "pids");
  EXPECT_EQ(sensors[0].failures, 0u);
  EXPECT_EQ(sensors[1].failures, 1u);
  EXPECT_TRUE(sensors[2].red);
  EXPECT_EQ(code_of(core.try_admit(costing(1), at(1))), RefusalCode::sensor);

  core.observe({{fakes::measured(at(2), 0), Duration{0}},
                {fakes::measured(at(2), 0), Duration{0}},
                {fakes::measured(at(2), 0.95), Duration{0}}},
               at(2));
  EXPECT_EQ(code_of(core.try_admit(costing(1), at(2))), RefusalCode::sensor);
}

TEST(CoreReload, RemovedRedSensorNoLongerBinds) {
  Core core = core_of(fixed_window(20), {known("load")});
  fakes::show(core, {1.5}, at(0));
  core.reload(fixed_window(20), flat(5), {}, at(1));
  EXPECT_TRUE(std::holds_alternative<Admitted>(core.try_admit(costing(1), at(1))));
}

TEST(CoreReload, PauseSurvives) {
  Core core = core_of(fixed_window(20));
  core.operate(Switch::paused);
  core.reload(fixed_window(30), flat(5), {}, at(1));
  EXPECT_EQ(code_of(core.try_admit(costing(1), at(1))), RefusalCode::paused);
}

}  // namespace
}  // namespace sluice

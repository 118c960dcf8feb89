#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::arrived;
using fakes::costing;
using fakes::Dial;
using fakes::fixed_window;
using fakes::flat;
using fakes::permit_of;

GovernorEvents telling(fakes::Journal<SensorStatus>& journal) {
  GovernorEvents events;
  events.on_sensor = [&journal](const SensorStatus& sensor) { journal.add(sensor); };
  return events;
}

TEST(GovernorSensors, AreReadBeforeTheFirstJobIsLetIn) {
  GovernorOptions options = fixed_window(10);
  options.window.interval = std::chrono::hours(1);
  Dial load;
  load.show(1.5);
  Governor governor(options, {load.sensor("load")}, flat(5));
  const auto refusal = std::get<Refusal>(governor.try_admit(costing(3)));
  EXPECT_EQ(refusal.code, RefusalCode::sensor);
  EXPECT_EQ(refusal.binding, "load");
  EXPECT_EQ(refusal.cost, Points{3});
}

TEST(GovernorSensors, KeepTheirIntervalWhileTheCpusAreSampledForAJobThatRuns) {
  GovernorOptions options = fixed_window(10);
  options.window.law = Law::knee;
  options.window.interval = std::chrono::hours(1);
  fakes::Journal<TimePoint> samples, readings;
  options.use_meter = [&samples](TimePoint now) {
    samples.add(now);
    return UseCounters{};
  };
  const Sensor load{"load", {}, [&readings](TimePoint now) {
                      readings.add(now);
                      return fakes::measured(now, 0);
                    }};
  Governor governor(options, {load}, flat(5));
  const Permit job = fakes::settled(governor);
  readings.take();
  samples.take();
  ASSERT_TRUE(samples.wait_for_count(5));
  const auto times = samples.take();
  // Any one may be late on a busy machine.
  EXPECT_GE(times.at(4) - times.at(0), std::chrono::milliseconds(700)) << "four a second";
  EXPECT_TRUE(readings.take().empty());
}

TEST(GovernorSensors, RedStopsAdmissionAndGreenStartsItAgain) {
  Dial load;
  fakes::Journal<SensorStatus> told;
  Governor governor(fixed_window(10), {load.sensor("load")}, flat(5), telling(told));
  load.show(1.5);
  ASSERT_TRUE(told.wait_until([](const auto& all) { return !all.empty() && all.back().red; }));
  EXPECT_EQ(std::get<Refusal>(governor.try_admit(costing(1))).binding, "load");
  auto job = std::get<Submitted>(governor.submit(costing(1)));
  EXPECT_EQ(governor.job(job.id)->refusal->code, RefusalCode::sensor);
  load.show(0.2);
  permit_of(arrived(job.admission));
  ASSERT_TRUE(told.wait_until([](const auto& all) { return !all.back().red; }));
  const auto all = told.take();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "load");
  EXPECT_EQ(all[0].reading->pressure(), 1.5);
}

TEST(GovernorSensors, ThrowingSensorIsACountedFailureAndStopsNoOther) {
  Dial broken;
  Dial load;
  fakes::Journal<SensorStatus> told;
  Governor governor(fixed_window(10), {broken.sensor("broken"), load.sensor("load")}, flat(5),
                    telling(told));
  broken.throw_from_now_on();
  ASSERT_TRUE(told.wait_until([](const auto& all) { return !all.empty() && !all.back().up; }));
  ASSERT_TRUE(load.wait_reads(3));
  const Status status = governor.status();
  EXPECT_EQ(status.sensors[0].failure, "the dial is broken");
  EXPECT_GE(status.sensors[0].failures, 3u);
  EXPECT_FALSE(status.sensors[0].red);
  EXPECT_TRUE(status.sensors[1].up);

  load.show(2);
  ASSERT_TRUE(told.wait_until([](const auto& all) { return all.back().name == "load"; }));
  EXPECT_EQ(std::get<Refusal>(governor.try_admit(costing(1))).binding, "load");
}

TEST(GovernorSensors, WhateverASensorThrowsIsAFailure) {
  Sensor odd{"odd", {}, [](TimePoint) -> Measurement { throw 42; }};
  odd.policy.on_error = OnError::red;
  Governor governor(fixed_window(10), {odd}, flat(5));
  EXPECT_EQ(std::get<Refusal>(governor.try_admit(costing(1))).binding, "odd");
  EXPECT_NE(governor.status().sensors[0].failure, "");
}

TEST(GovernorSensors, FailureLeavesNothingBooked) {
  Dial broken;
  broken.throw_from_now_on();
  Governor governor(fixed_window(10), {broken.sensor("broken")}, flat(5));
  for (int i = 0; i < 100; ++i) permit_of(governor.try_admit(fakes::reporting_start(10)));
  const Status status = governor.status();
  EXPECT_EQ(status.usage, Points{0});
  EXPECT_EQ(status.running, 0u);
  EXPECT_EQ(status.starting, 0u);
  governor.drain();
  governor.wait_until_idle();
}

TEST(GovernorSensors, RedCongestionSensorCutsTheWindow) {
  GovernorOptions options = fakes::window_of(50, 100);
  fakes::Journal<WindowChange> changes;
  GovernorEvents events;
  events.on_window = [&](const WindowChange& change) { changes.add(change); };
  Dial load;
  SensorPolicy policy;
  policy.acts = Acts::congestion;
  options.window.law = Law::adaptive;
  Governor governor(options, {load.sensor("load", policy)}, flat(5), events);
  const Permit permit = permit_of(governor.try_admit(costing(50)));
  load.show(1.5);
  ASSERT_TRUE(changes.wait_for_count(1));
  const WindowChange change = changes.take()[0];
  EXPECT_EQ(change.cause, WindowCause::red);
  EXPECT_EQ(change.sensor, "load");
  EXPECT_LT(change.to, Points{50});
}

TEST(GovernorSensors, RefusalNamesItsSensorAlsoAfterTheSensorIsGone) {
  Dial dial;
  dial.show(2);
  Governor governor(fixed_window(10), {dial.sensor("short_lived")}, flat(5));
  const auto refusal = std::get<Refusal>(governor.try_admit(costing(1)));
  governor.reload(fixed_window(10), {}, flat(5));
  EXPECT_EQ(refusal.binding, "short_lived");
  permit_of(governor.try_admit(costing(1)));
}

TEST(GovernorSensors, MoreNamesThanTheSnapshotKnowsStillRefuseByName) {
  Governor governor(fixed_window(10), {}, flat(5));
  Dial dial;
  for (int round = 0; round < 5; ++round) {
    std::vector<Sensor> sensors;
    for (int i = 0; i < 1000; ++i) {
      sensors.push_back(Dial().sensor("s" + std::to_string(round) + "_" + std::to_string(i)));
    }
    sensors.push_back(dial.sensor("last" + std::to_string(round)));
    dial.show(2);
    governor.reload(fixed_window(10), sensors, flat(5));
    EXPECT_EQ(std::get<Refusal>(governor.try_admit(costing(1))).binding,
              "last" + std::to_string(round));
  }
}

}  // namespace
}  // namespace sluice

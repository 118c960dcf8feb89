#include "service/api/timeline.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cmath>

#include "service/api/view_timeline.h"

namespace sluice {
namespace {
namespace json = boost::json;
using namespace std::chrono_literals;

SensorStatus sensor(const std::string& name, double pressure) {
  SensorStatus status;
  status.name = name;
  status.up = status.fresh = true;
  status.reading = Reading{{{"x", 1, 1, {}, Unit::ratio, pressure}}, 0, name + " says so", ""};
  return status;
}

Status status_at(Duration at, std::vector<SensorStatus> sensors = {}) {
  Status status;
  status.now = TimePoint(at);
  status.size = Points{40};
  status.usage = Points{15};
  status.pending = 7;
  status.running = 3;
  status.sensors = std::move(sensors);
  return status;
}

WindowChange cut_at(Duration at, std::int64_t from, std::int64_t to) {
  return {.at = TimePoint(at),
          .from = Points{from},
          .to = Points{to},
          .cause = WindowCause::red,
          .sensor = "load",
          .said = "load says so"};
}

TEST(Timeline, ASampleIsDueEveryStep) {
  Timeline timeline;
  EXPECT_TRUE(timeline.is_due(TimePoint(10s)));
  timeline.sample(status_at(10s));
  EXPECT_FALSE(timeline.is_due(TimePoint(10s + Timeline::kStep - 1ms)));
  EXPECT_TRUE(timeline.is_due(TimePoint(10s + Timeline::kStep)));
}

TEST(Timeline, HoldsTheLastHourAndNoMore) {
  Timeline timeline;
  for (Duration at = 0s; at <= 3h; at += Timeline::kStep) {
    timeline.sample(status_at(at, {sensor("load", .5)}));
    ASSERT_LE(timeline.samples().size(), Timeline::kMostSamples);
  }
  EXPECT_EQ(timeline.samples().size(), Timeline::kMostSamples);
  EXPECT_EQ(timeline.samples().back().at, TimePoint(3h));
  EXPECT_GE(timeline.samples().front().at, TimePoint(2h));
  for (Duration at = 3h; at < 3h + 10min; at += 1ms * 100) timeline.sample(status_at(at));
  EXPECT_LE(timeline.samples().size(), Timeline::kMostSamples) << "sampled faster than asked";
}

TEST(Timeline, AStandstillIsAGapAndWhatIsTooOldIsForgotten) {
  Timeline timeline;
  timeline.sample(status_at(0s));
  timeline.sample(status_at(5s));
  timeline.sample(status_at(40min));
  ASSERT_EQ(timeline.samples().size(), 3u) << "nothing is made up in between";
  timeline.sample(status_at(61min));
  ASSERT_EQ(timeline.samples().size(), 2u);
  EXPECT_EQ(timeline.samples().front().at, TimePoint(40min));
}

TEST(Timeline, StaysInOrder) {
  Timeline timeline;
  timeline.sample(status_at(10s));
  timeline.sample(status_at(10s));
  timeline.sample(status_at(4s));
  EXPECT_EQ(timeline.samples().size(), 1u);
}

TEST(Timeline, EachSensorHasAColumnWithNothingWhereItWasNotRead) {
  Timeline timeline;
  SensorStatus stale = sensor("memory", 3);
  stale.fresh = false;
  timeline.sample(status_at(0s, {sensor("load", .5), stale}));
  timeline.sample(status_at(5s, {sensor("memory", .25)}));
  EXPECT_EQ(timeline.sensors(), (std::vector<std::string>{"load", "memory"}));
  EXPECT_EQ(timeline.samples()[0].pressures, (std::vector<float>{.5f}));
  EXPECT_EQ(timeline.samples()[0].worst, .5f) << "what is stale tells nothing";
  EXPECT_TRUE(std::isnan(timeline.samples()[1].pressures[0]));
  EXPECT_EQ(timeline.samples()[1].pressures[1], .25f);
}

TEST(Timeline, WhatIsIgnoredIsShownAndDoesNotCount) {
  Timeline timeline;
  SensorStatus ignored = sensor("mine", 9);
  ignored.ignored = true;
  timeline.sample(status_at(0s, {sensor("load", .5), ignored}));
  EXPECT_EQ(timeline.samples()[0].worst, .5f);
  EXPECT_EQ(timeline.samples()[0].pressures, (std::vector<float>{.5f, 9.f}));
}

TEST(Timeline, SensorsBeyondTheBoundAreCountedAndTakeColumnsThatAreFreeAgain) {
  Timeline timeline;
  std::vector<SensorStatus> many;
  for (std::size_t at = 0; at < Timeline::kMostSensors + 3; ++at) {
    many.push_back(sensor("s" + std::to_string(at), .5));
  }
  timeline.sample(status_at(0s, many));
  EXPECT_EQ(timeline.sensors().size(), Timeline::kMostSensors);
  EXPECT_EQ(timeline.sensors_left_out(), 3u);
  timeline.sample(status_at(5s, {sensor("new", 1)}));
  EXPECT_EQ(timeline.sensors_left_out(), 1u);
  timeline.sample(status_at(2h, {sensor("new", 1)}));
  EXPECT_EQ(timeline.sensors_left_out(), 0u);
  EXPECT_EQ(timeline.sensors()[0], "new");
}

TEST(Timeline, TheLastCutsAreKeptAsSentences) {
  Timeline timeline;
  timeline.record_change(cut_at(1s, 40, 60));
  EXPECT_TRUE(timeline.cuts().empty()) << "growth is no cut";
  for (std::size_t at = 0; at < Timeline::kMostCuts + 2; ++at) {
    timeline.record_change(cut_at(std::chrono::seconds(at), 1000 - at, 999 - at));
  }
  EXPECT_EQ(timeline.cuts().size(), Timeline::kMostCuts);
  EXPECT_EQ(timeline.cuts_forgotten(), 2u);
  EXPECT_EQ(timeline.cuts().front().at, TimePoint(2s));
  EXPECT_EQ(timeline.cuts().front().reason, "cut 998 -> 997 points by load: load says so");
}

TEST(Timeline, AReasonIsBoundedAndCutBetweenCharacters) {
  Timeline timeline;
  WindowChange change = cut_at(1s, 4, 3);
  const std::string before = "cut 4 -> 3 points by load: ";
  change.said = std::string(Timeline::kMostReasonBytes - before.size() - 1, 'x') + "\xc3\xa9";
  timeline.record_change(change);
  EXPECT_EQ(timeline.cuts()[0].reason.size(), Timeline::kMostReasonBytes - 1);
  EXPECT_EQ(timeline.cuts()[0].reason.back(), 'x');
}

TEST(Timeline, ACutByTheCpusSaysItsNumbers) {
  Timeline timeline;
  timeline.record_change({.at = TimePoint(1s),
                          .from = Points{40},
                          .to = Points{24},
                          .cause = WindowCause::knee,
                          .sensor = "",
                          .cpu = CpuStatus{2, 0.99, 0.18, 2, 0}});
  EXPECT_EQ(timeline.cuts()[0].reason, "holds 24: 99% busy, 0.18 tasks wait for each CPU");
}

const Instant kTimelineInstant{TimePoint(100s),
                               std::chrono::system_clock::time_point(1772366403227ms)};

TEST(Timeline, IsWrittenInColumns) {
  Timeline timeline;
  timeline.sample(status_at(90s, {sensor("load", .4567)}));
  Status measured = status_at(95s, {sensor("memory", 1.2)});
  measured.cpu = CpuStatus{2, 0.987, 0.181, 2, 0};
  timeline.sample(measured);
  timeline.record_change(cut_at(97s, 40, 20));
  EXPECT_EQ(json::parse(timeline_json(timeline, kTimelineInstant)), json::parse(R"({
      "now": "2026-03-01T12:00:03.227Z", "step": 5, "span": 3600, "age": [10, 5],
      "window": [40, 40], "usage": [15, 15], "pending": [7, 7], "running": [3, 3],
      "pressure": [0.46, 1.2], "busy": [null, 0.99], "waiting": [null, 0.18], "sensors": {"load": [0.46, null], "memory": [null, 1.2]},
      "sensors_left_out": 0,
      "cuts": [{"at": "2026-03-01T12:00:00.227Z", "age": 3, "from": 40, "to": 20, "cause": "red",
                "sensor": "load", "reason": "cut 40 -> 20 points by load: load says so"}],
      "cuts_forgotten": 0})"));
}

TEST(Timeline, AJumpOfTheWallClockMovesNothing) {
  Timeline timeline;
  timeline.sample(status_at(90s));
  const auto before = json::parse(timeline_json(timeline, kTimelineInstant));
  const auto after =
      json::parse(timeline_json(timeline, {kTimelineInstant.now, kTimelineInstant.wall - 10h}));
  EXPECT_EQ(before.at("age"), after.at("age"));
}

TEST(Timeline, AFullHourIsOfBoundedSize) {
  Timeline timeline;
  std::vector<SensorStatus> dozen;
  for (const char* name : {"load", "memory", "memory_pressure", "io_pressure", "cpu_pressure",
                           "cgroup", "disk", "pids", "starting", "pause", "licences", "queue"}) {
    dozen.push_back(sensor(name, .123456));
  }
  for (Duration at = 0s; at < 2h; at += Timeline::kStep) timeline.sample(status_at(at, dozen));
  EXPECT_LT(timeline_json(timeline, {TimePoint(2h), {}}).size(), 70'000u);
}

}  // namespace
}  // namespace sluice

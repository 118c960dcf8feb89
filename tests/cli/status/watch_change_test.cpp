#include "cli/status/watch_change.h"

#include <gtest/gtest.h>

#include "service/api/view.h"
#include "service/jobs/leases.h"

namespace sluice::cli {
namespace {

using std::chrono::seconds;

Status watched_status() {
  Status status;
  status.now = TimePoint(seconds(100));
  status.size = Points{40};
  status.usage = Points{30};
  SensorStatus load;
  load.name = "load";
  load.up = load.fresh = true;
  load.reading.emplace();
  load.reading->conditions.push_back({"load1", 1.0, 5.0, std::nullopt, Unit::count, 0.2});
  load.reading->sentence = "load 1.0 of at most 5.0";
  status.sensors = {load};
  status.queues = {{"default", false, 1, 0, Points{}, 0, Points{}, {}, {}, {}}};
  return status;
}

std::string json_of_status(const Status& status) {
  return status_json(status, DaemonFacts{}, Leases{}, Instant{status.now, {}});
}

constexpr const char* kNoJobs = R"({"jobs":[],"running":1,"pending":0})";

TEST(WatchChanges, TheFirstStatusIsReported) {
  WatchChanges changes;
  const std::string status = json_of_status(watched_status());
  EXPECT_EQ(changes.observe(status, kNoJobs),
            "{\"status\":" + status + ",\"jobs\":" + kNoJobs + ",\"further_daemons\":null}");
  EXPECT_FALSE(changes.observe(status, kNoJobs));
}

TEST(WatchChanges, TimesAndReadingsAreNoChange) {
  WatchChanges changes;
  Status status = watched_status();
  changes.observe(json_of_status(status), kNoJobs);
  status.now += seconds(5);
  status.sensors[0].reading->conditions[0].pressure = 0.3;
  status.sensors[0].reading->sentence = "load 1.5 of at most 5.0";
  EXPECT_FALSE(changes.observe(json_of_status(status), kNoJobs));
}

TEST(WatchChanges, WhatPeopleWouldWantToKnowIsAChange) {
  const std::vector<std::function<void(Status&)>> steps{
      [](Status& status) { status.size = Points{50}; },
      [](Status& status) { status.usage = Points{20}; },
      [](Status& status) { status.sensors[0].red = true; },
      [](Status& status) { status.sensors[0].red = status.sensors[0].up = false; },
      [](Status& status) { status.queues[0].paused = true; },
      [](Status& status) {
        status.resources = {{"db", ResourceOptions::Kind::quantity, 4, 3, 2}};
      },
      [](Status& status) {
        status.full =
            Refusal{RefusalCode::paused, "", Points{}, Points{30}, Points{40}, JobId{}, 0, 0, 0};
      }};
  WatchChanges changes;
  Status status = watched_status();
  EXPECT_TRUE(changes.observe(json_of_status(status), kNoJobs));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i](status);
    EXPECT_TRUE(changes.observe(json_of_status(status), kNoJobs)) << "step " << i;
    EXPECT_FALSE(changes.observe(json_of_status(status), kNoJobs)) << "step " << i;
  }
  EXPECT_TRUE(changes.observe(json_of_status(status), R"({"jobs":[],"running":1,"pending":1})"));
}

TEST(WatchChanges, AFurtherDaemonOfTheUserIsAChange) {
  WatchChanges changes;
  const std::string status = json_of_status(watched_status());
  const std::string head = "{\"status\":" + status + ",\"jobs\":" + kNoJobs;
  using Sockets = std::vector<std::string>;
  EXPECT_EQ(changes.observe(status, kNoJobs, Sockets{}), head + ",\"further_daemons\":[]}");
  EXPECT_FALSE(changes.observe(status, kNoJobs, Sockets{}));
  EXPECT_EQ(changes.observe(status, kNoJobs, Sockets{"/a.sock", "/b.sock"}),
            head + R"(,"further_daemons":["/a.sock","/b.sock"]})");
  EXPECT_FALSE(changes.observe(status, kNoJobs, Sockets{"/a.sock", "/b.sock"}));
  EXPECT_TRUE(changes.observe(status, kNoJobs, Sockets{"/b.sock"}));
}

TEST(WatchChanges, ADaemonThatGoesIsToldOnceAndSoIsItsReturn) {
  WatchChanges changes;
  changes.observe(json_of_status(watched_status()), kNoJobs);
  EXPECT_EQ(changes.lost("gone: \"why\""),
            R"({"status":null,"jobs":null,"problem":"gone: \"why\""})");
  EXPECT_FALSE(changes.lost("gone"));
  EXPECT_TRUE(changes.observe(json_of_status(watched_status()), kNoJobs));
}

}  // namespace
}  // namespace sluice::cli

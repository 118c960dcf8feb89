#include "cli/status/status_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_status.h"
#include "service/api/view.h"
#include "service/jobs/leases.h"

namespace sluice::cli {
namespace {

using std::chrono::seconds;

SensorStatus sensor_at(std::string name, double pressure) {
  return example_sensor(std::move(name), pressure, "as it is");
}

Status status_with_sensors() {
  Status status = example_status("host");
  status.full =
      Refusal{RefusalCode::sensor, "memory", Points{}, Points{30}, Points{40}, JobId{}, 0, 0, 0};
  status.last_change =
      WindowChange{TimePoint(seconds(97)), Points{60}, Points{40}, WindowCause::red, "memory"};
  status.sensors = {sensor_at("load", 0.5), sensor_at("memory", 1.25)};
  SensorStatus held = sensor_at("io_pressure", 0.95);
  held.red = true;
  SensorStatus broken = sensor_at("disk", 0.2);
  broken.up = broken.fresh = false;
  broken.failure = "/data: no such folder";
  SensorStatus unlimited = sensor_at("cgroup", 0);
  unlimited.reading->conditions[0].limit.reset();
  status.sensors.insert(status.sensors.end(), {held, broken, unlimited});
  QueueStatus nightly{"nightly", true, 1, 2, Points{30}, 2, Points{30}, TimePoint(seconds(40)),
                      {},        {}};
  nightly.limiting = Refusal{
      RefusalCode::queue_paused, "nightly", Points{15}, Points{30}, Points{40}, JobId{}, 0, 0, 0};
  nightly.blockers = {*nightly.limiting};
  status.queues = {{"default", false, 2, 0, Points{}, 0, Points{}, {}, {}, {}}, nightly};
  status.resources = {{"db", ResourceOptions::Kind::quantity, 4, 3, 2},
                      {"solo", ResourceOptions::Kind::highlander, 0, 1, 0}};
  return status;
}

TEST(StatusView, QueuesAndResourceManagersAreAlignedRows) {
  const std::vector<std::string> lines = lines_of(view_of(status_with_sensors()), Style{}, 0);
  const auto at = std::find(lines.begin(), lines.end(), "queues");
  ASSERT_GE(lines.end() - at, 6);
  EXPECT_EQ(std::vector<std::string>(at, at + 6),
            (std::vector<std::string>{
                "queues", "  default  open    2 running   0 pending",
                "  nightly  paused  1 running   2 pending   1 min 00 s  queue nightly is paused",
                "resources", "  db   [############----] quantity    3 of 4 in use  2 waiting",
                "  solo                    highlander  1 running"}));
}

TEST(StatusView, BranchesShowHowManyJobsAreDone) {
  Status status = status_with_sensors();
  status.queues.push_back({"default/make-17", false, 2, 5, Points{}, 0, Points{}, {}, {}, {}});
  status.queues.back().branch_of = "default";
  status.queues.back().ended = 41;
  const std::vector<std::string> lines = lines_of(view_of(status), Style{}, 0);
  const auto line = std::ranges::find_if(
      lines, [](const std::string& each) { return each.find("make-17") != std::string::npos; });
  ASSERT_NE(line, lines.end());
  EXPECT_EQ(line->find("  default/make-17  open    2 running   5 pending   41 done"), 0u) << *line;
}

TEST(StatusView, OneOpenQueueIsNotWorthARow) {
  Status status = status_with_sensors();
  status.queues.pop_back();
  status.resources.clear();
  for (const std::string& line : lines_of(view_of(status), Style{}, 0)) {
    EXPECT_NE(line, "queues");
    EXPECT_NE(line, "resources");
  }
}

TEST(StatusView, ADaemonLooksTheSameAsAGovernorInThisProcess) {
  Status status = status_with_sensors();
  status.last_change->said = "0.8 GiB available";
  const std::string json = status_json(status, DaemonFacts{}, Leases{}, Instant{status.now, {}});
  EXPECT_EQ(lines_of(view_of(json, R"({"jobs":[]})"), Style{}, 0),
            lines_of(view_of(status), Style{}, 0));
  EXPECT_EQ(view_of(status).last_change,
            "3.0 s ago: cut 60 -> 40 points by memory: 0.8 GiB available");
}

TEST(StatusView, JobsThatShouldBeKeptAndAreNotAreSaidSo) {
  const Status status = status_with_sensors();
  DaemonFacts facts;
  facts.state.path = "/var/lib/sluice/jobs.db";
  facts.state.failing = "disk full";
  const std::string json = status_json(status, facts, Leases{}, Instant{status.now, {}});
  EXPECT_EQ(lines_of(view_of(json, R"({"jobs":[]})"), Style{}, 0).at(1),
            "unsaved  jobs are in memory only: disk full");
}

TEST(StatusView, ARecordThatIsNotWrittenIsSaidSo) {
  const Status status = status_with_sensors();
  DaemonFacts facts;
  facts.record = RecordFacts{"/var/lib/sluice/record", 0, 3, "disk full"};
  const std::string json = status_json(status, facts, Leases{}, Instant{status.now, {}});
  EXPECT_EQ(lines_of(view_of(json, R"({"jobs":[]})"), Style{}, 0).at(1),
            "unsaved  decisions are not recorded: disk full");
}

TEST(StatusView, AHistoryThatCannotBeUsedIsSaidSo) {
  const Status status = status_with_sensors();
  DaemonFacts facts;
  facts.state.history = HistoryFacts{"/var/lib/sluice/history.db", "disk full"};
  const std::string json = status_json(status, facts, Leases{}, Instant{status.now, {}});
  EXPECT_EQ(lines_of(view_of(json, R"({"jobs":[]})"), Style{}, 0).at(1),
            "unsaved  learned runs are in memory only: disk full");
}

TEST(StatusView, EachServerThatJobsAreFetchedFromIsALine) {
  const Status status = status_with_sensors();
  DaemonFacts facts;
  facts.work_sources = {{"gearman", "queue1:4730", true, "", {"build", "test"}, 1, 17},
                        {"gearman", "queue2:4730", true, "", {}, 2, 2},
                        {"gearman", "queue3:4730", false, "Connection refused", {"build"}, 0, 0}};
  const std::string json = status_json(status, facts, Leases{}, Instant{status.now, {}});
  std::vector<std::string> sources;
  for (const std::string& line : lines_of(view_of(json, R"({"jobs":[]})"), Style{}, 0)) {
    if (line.starts_with("source")) sources.push_back(line);
  }
  EXPECT_EQ(sources, (std::vector<std::string>{
                         "source   gearman queue1:4730  connected, 1 job, offers build, test",
                         "source   gearman queue2:4730  connected, 2 jobs, offers nothing",
                         "source   gearman queue3:4730  not connected (Connection refused), 0 "
                         "jobs"}));
}

TEST(StatusView, AnAnswerThatIsNoneIsAnErrorAndNoCrash) {
  for (const char* text : {"", "[]", "{}", R"({"window":1})", "\xff"}) {
    EXPECT_THROW(view_of(text, R"({"jobs":[]})"), std::runtime_error) << text;
  }
}

}  // namespace
}  // namespace sluice::cli

#include "service/api/view.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>

#include "service/api/view_job.h"
#include "status/refusal_json.h"

namespace sluice {
namespace {
namespace json = boost::json;
using namespace std::chrono_literals;

const Instant kInstant{TimePoint(1000s), std::chrono::system_clock::time_point(1772366403227ms)};

json::object status_of(const Status& status) {
  DaemonFacts facts;
  facts.pid = 812;
  facts.started = TimePoint(900s);
  return json::parse(status_json(status, facts, Leases{}, kInstant)).as_object();
}

TEST(View, TimesAreRfc3339) {
  EXPECT_EQ(rfc3339(kInstant.wall), "2026-03-01T12:00:03.227Z");
  EXPECT_EQ(rfc3339({}), "1970-01-01T00:00:00.000Z");
}

TEST(View, StatusSaysWindowAndJobs) {
  Status status;
  status.size = Points{20};
  status.usage = Points{15};
  status.threshold = Points{30};
  status.oldest_arrival = TimePoint(990s);
  status.last_change =
      WindowChange{TimePoint(980s), Points{40}, Points{20}, WindowCause::red, "load"};
  status.limiting =
      Refusal{RefusalCode::behind, "behind", Points{5}, Points{15}, Points{20}, JobId{7}, 0, 0, 0};
  const json::object shown = status_of(status);
  EXPECT_EQ(shown.at("pid"), 812);
  EXPECT_EQ(shown.at("api"), "1.0");
  EXPECT_EQ(shown.at("uptime"), 100);
  EXPECT_EQ(shown.at("window").at("size"), 20);
  EXPECT_EQ(shown.at("window").at("last_change").at("sensor"), "load");
  EXPECT_EQ(shown.at("window").at("last_change").at("at"), "2026-03-01T11:59:43.227Z");
  EXPECT_EQ(shown.at("jobs").at("oldest_wait"), 10);
  EXPECT_EQ(shown.at("limiting").at("ahead"), "7");
  EXPECT_EQ(shown.at("counters").at("finished").as_object().size(), kOutcomes);
}

TEST(View, StatusSaysWhereJobsAreKept) {
  DaemonFacts facts;
  json::object shown = json::parse(status_json({}, facts, Leases{}, kInstant)).as_object();
  EXPECT_EQ(shown.at("state").at("store"), "memory");
  EXPECT_TRUE(shown.at("state").at("path").is_null());
  facts.state = {"/var/lib/sluice/jobs.db", "disk full", 3, 2, 1};
  shown = json::parse(status_json({}, facts, Leases{}, kInstant)).as_object();
  EXPECT_EQ(shown.at("state"),
            json::parse(R"({"store":"sqlite","path":"/var/lib/sluice/jobs.db","failing":"disk full",
                            "adopted":3,"released":2,"restored":1,"history":null})"));
}

TEST(View, AShadowsSentenceSaysThatItsReasonIsOfTheFirstOfSeveralJobs) {
  DaemonFacts facts;
  const auto said = [&](std::size_t refused) {
    facts.shadow.emplace().would_refuse = refused;
    facts.shadow->refusal = "needs 30 points, 20 at most";
    const auto shown = json::parse(status_json({}, facts, Leases{}, kInstant));
    return std::string(shown.at("shadow").at("sentence").as_string());
  };
  EXPECT_NE(said(1).find(", would refuse 1: needs 30 points, 20 at most; "), std::string::npos);
  EXPECT_NE(said(3).find(", would refuse 3, the first: needs 30 points, 20 at most; "),
            std::string::npos)
      << said(3);
}

json::object refusal_of(const Refusal& refusal) {
  std::string text;
  JsonWriter json(text);
  write_refusal(json, refusal, [](JobId job) { return "build-" + std::to_string(job.value); });
  return json::parse(text).as_object();
}

TEST(View, AChangeOfTheWindowIsSaidWithItsNumbersWhereTheyAreKnown) {
  Status status;
  status.last_change =
      WindowChange{TimePoint(980s), Points{30}, Points{60}, WindowCause::growth, ""};
  const auto said = [&] { return status_of(status).at("window").at("last_change").at("sentence"); };
  EXPECT_EQ(said(), "grown 30 -> 60 points");
  status.last_change->cpu = CpuStatus{2, 0.34, 0, 0.7, 0};
  status.last_change->pending = 41;
  EXPECT_EQ(said(), "grown 30 -> 60 points: 34% busy, 41 jobs wait");
}

TEST(View, ARefusalForTheCpusCountsCores) {
  Refusal refusal{
      RefusalCode::window, "cpu", Points{5}, Points{15}, Points{20}, {}, 1000, 250, 2500};
  json::object shown = refusal_of(refusal);
  EXPECT_EQ(shown.at("message"), "needs 1.0 cores, 0.3 of 2.5 are free");
  EXPECT_EQ(shown.at("needs"), 1);
  EXPECT_EQ(shown.at("free"), 0.25);
  EXPECT_EQ(shown.at("total"), 2.5);
  refusal.needs = refusal.free = refusal.total = 0;
  shown = refusal_of(refusal);
  EXPECT_EQ(shown.at("message"), "every CPU is busy");
  for (const char* field : {"needs", "free", "total"}) EXPECT_TRUE(shown.at(field).is_null());
}

TEST(View, ARefusalSaysWhatIsCountedOnlyWhereSomethingIs) {
  const auto refusal = [](RefusalCode code, std::string_view binding) {
    return refusal_of({code, binding, Points{5}, Points{15}, Points{20}, JobId{7}, 2, -1, 4});
  };
  const json::object resource = refusal(RefusalCode::resource, "db");
  EXPECT_EQ(resource.at("binding"), "db");
  EXPECT_EQ(resource.at("needs"), 2);
  EXPECT_EQ(resource.at("free"), -1);
  EXPECT_EQ(resource.at("total"), 4);
  EXPECT_EQ(resource.at("ahead"), "build-7");
  for (const char* field : {"needs", "free", "total"}) {
    EXPECT_TRUE(refusal(RefusalCode::sensor, "load").at(field).is_null()) << field;
    EXPECT_TRUE(refusal(RefusalCode::impossible, "window").at(field).is_null()) << field;
    EXPECT_EQ(refusal(RefusalCode::rate_limit, "2:x").at(field), resource.at(field)) << field;
  }
  EXPECT_EQ(refusal(RefusalCode::held_for, "").at("message"),
            "room is kept for job build-7, which has waited longest");
}

TEST(View, QueuesAndManagersAreListed) {
  Status status;
  status.queues.push_back(
      {"nightly", true, 1, 2, Points{30}, 2, Points{30}, TimePoint(990s), {}, {}});
  status.resources = {{"db", ResourceOptions::Kind::quantity, 4, 3, 1},
                      {"solo", ResourceOptions::Kind::highlander, 0, 1, 0}};
  status.queues.back().ended = 41;
  const json::object shown = status_of(status);
  const json::object& queue = shown.at("queues").at(0).as_object();
  EXPECT_EQ(queue.at("name"), "nightly");
  EXPECT_EQ(queue.at("ended"), 41);
  EXPECT_EQ(queue.at("paused"), true);
  EXPECT_EQ(queue.at("pending_cost"), 30);
  EXPECT_EQ(queue.at("held"), 2);
  EXPECT_EQ(queue.at("held_cost"), 30);
  EXPECT_EQ(queue.at("oldest_wait"), 10);
  EXPECT_TRUE(queue.at("limiting").is_null());
  EXPECT_EQ(shown.at("resources").at(0).at("total"), 4);
  EXPECT_EQ(shown.at("resources").at(0).at("kind"), "quantity");
  EXPECT_TRUE(shown.at("resources").at(1).at("total").is_null());
}

TEST(View, ASensorHasItsVerdictAndEveryCondition) {
  Status status;
  SensorStatus sensor;
  sensor.name = "memory";
  sensor.red = sensor.up = sensor.fresh = true;
  sensor.taken = TimePoint(999s);
  sensor.reading = Reading{{{"available", .04, .05, {}, Unit::ratio, 1.1}}, 0, "little", "/proc"};
  status.sensors.push_back(sensor);
  SensorStatus unread;
  unread.name = "mine";
  unread.ignored = true;
  unread.failure = "bad \xff file";
  status.sensors.push_back(unread);
  const json::object shown = status_of(status);
  const json::object& first = shown.at("sensors").at(0).as_object();
  EXPECT_EQ(first.at("verdict"), "red");
  EXPECT_EQ(first.at("worst"), "available");
  EXPECT_EQ(first.at("age"), 1);
  EXPECT_EQ(first.at("conditions").at(0).at("limit"), .05);
  EXPECT_TRUE(first.at("conditions").at(0).at("total").is_null());
  const json::object& second = shown.at("sensors").at(1).as_object();
  EXPECT_EQ(second.at("verdict"), "ignored");
  EXPECT_TRUE(second.at("sentence").is_null());
  EXPECT_EQ(second.at("failure"), "bad \xef\xbf\xbd file");
  for (const auto& member : first) EXPECT_TRUE(second.contains(member.key())) << member.key();
}

TEST(View, TheCostOfARunningJobIsWhatItHoldsNow) {
  JobRecord job;
  job.number = JobId{7};
  job.cost = Points{10};
  job.admitted = TimePoint(990s);
  JobView view;
  view.id = job.number;
  view.state = JobState::running;
  view.cost = Points{1};
  const Leases leases;
  const JobContext context{leases, [](JobId) { return std::string("7"); },
                           [](const Refusal&) { return std::string(); },
                           [](std::string_view) { return false; }, kInstant};
  const auto cost_of = [&](const JobView* known) {
    std::string text;
    JsonWriter json(text);
    write_job(json, job, {known, nullptr, false, nullptr}, context);
    return json::parse(text).at("cost").to_number<int>();
  };
  EXPECT_EQ(cost_of(&view), 1);
  EXPECT_EQ(cost_of(nullptr), 10) << "once it has ended, that of its admission";
}

}  // namespace
}  // namespace sluice

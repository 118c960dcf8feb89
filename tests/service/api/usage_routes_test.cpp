// The resource usage of jobs over the API.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "usage_fixture.h"

namespace sluice::testing::usage_test {
namespace {

TEST_F(UsageRoutes, TheProcessThatItsHolderStartedSaysWhatAJobHolds) {
  bench.ancestors[77] = {76, 4242, 1};
  submit(R"({"id": "a", "key": "k", "measured": true, "hold": "connection", "cost": 5})");
  EXPECT_EQ(bench.ask("POST", "/v1/jobs/a/started", R"({"pid": 77})")->status, 200);
  ASSERT_EQ(bench.measured_below, (std::vector<std::pair<std::uint64_t, pid_t>>{{1, 77}}));
  EXPECT_TRUE(bench.unwatched.empty());
  bench.ask("DELETE", "/v1/jobs/a");
  EXPECT_EQ(bench.unwatched, std::vector<std::uint64_t>{1});
}

TEST_F(UsageRoutes, AProcessThatIsNotBelowTheHolderIsRefused) {
  bench.ancestors[77] = {76, 4243, 1};
  submit(R"({"id": "a", "key": "k", "measured": true, "hold": "connection", "cost": 5})");
  for (const std::string pid : {"77", "78", "4242"}) {
    const auto answer = bench.ask("POST", "/v1/jobs/a/started", "{\"pid\": " + pid + "}");
    EXPECT_EQ(answer->status, 400);
    const json::object error = body_of(answer).at("error").as_object();
    EXPECT_EQ(error.at("code").as_string(), "no_process");
    EXPECT_EQ(error.at("field").as_string(), "pid");
  }
  for (const std::string pid : {"0", "-1", "\"peer\"", "1.5", "5000000000"}) {
    const auto answer = bench.ask("POST", "/v1/jobs/a/started", "{\"pid\": " + pid + "}");
    EXPECT_EQ(answer->status, 400);
    EXPECT_EQ(body_of(answer).at("error").as_object().at("field").as_string(), "pid") << pid;
  }
  EXPECT_TRUE(bench.measured_below.empty());
}

TEST_F(UsageRoutes, TheEndOfAProcessByAKillOfItsGroupIsNoGoodEnd) {
  bench.kill = GroupKill{bench.now, bench.now};
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5, "pid": 42})");
  EXPECT_EQ(bench.holders, (std::map<std::uint64_t, pid_t>{{1, 42}}));
  bench.signal = 9;
  bench.routes->jobs().process_ended(JobId{1});
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/a")).at("outcome"), "oom");
  EXPECT_TRUE(bench.holders.empty());
  submit(R"({"id": "b", "cost": 5, "pid": 43})");
  bench.signal = 15;
  bench.routes->jobs().process_ended(JobId{2});
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/b")).at("outcome"), "unknown");
}

TEST_F(UsageRoutes, AHeartbeatWithUsageIsShownAndRaisesPredictions) {
  history->learn({"k", "p", 1, Outcome::ok, 1, Bytes{1000}, 1s});
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  bench.now += 10s;
  const json::object job = body_of(bench.ask("POST", "/v1/jobs/a/heartbeat", kUsage));
  const json::object& usage = job.at("usage").as_object();
  EXPECT_EQ(
      json::serialize(usage),
      R"({"source":"reported","wall":10,"cpu":2.55E1,"cpu_delay":0,"memory":1000,"peak_memory":4000,)"
      R"("read":7,"written":null,"oom_kills":0,"busy_cores":2.55E0})");
  EXPECT_DOUBLE_EQ(next("k").memory->mean, 2500);
  bench.ask("DELETE", "/v1/jobs/a?outcome=cancelled");
  EXPECT_EQ(history->samples("k").size(), 2U);
}

TEST_F(UsageRoutes, APeakIsNeverForgotten) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  bench.ask("POST", "/v1/jobs/a/heartbeat", R"({"usage": {"memory": 5000}})");
  const auto later = bench.ask("POST", "/v1/jobs/a/heartbeat", R"({"usage": {"memory": 10}})");
  EXPECT_EQ(body_of(later).at("usage").at("memory"), 10);
  EXPECT_EQ(body_of(later).at("usage").at("peak_memory"), 5000);
}

TEST_F(UsageRoutes, AHeartbeatWithoutABodyStillRenews) {
  submit(R"({"id": "a", "cost": 5})");
  const auto response = bench.ask("POST", "/v1/jobs/a/heartbeat");
  EXPECT_EQ(response->status, 200);
  EXPECT_TRUE(body_of(response).at("usage").is_null());
}

TEST_F(UsageRoutes, AJobShowsWhatItIsExpectedToNeed) {
  history->learn({"k", "p", 1, Outcome::ok, 1, Bytes{1000}, 1500ms});
  const json::object job = submit(R"({"id": "a", "key": "k", "measured": true})");
  EXPECT_EQ(json::serialize(job.at("prediction")),
            R"({"rung":"key","memory":{"mean":1000,"deviation":28},"duration":1.5E0})");
  EXPECT_EQ(job.at("measured"), true);
  EXPECT_TRUE(job.at("memory").is_null());
  const json::object own = submit(R"({"key": "k", "memory": "2KiB", "cost": 5})");
  EXPECT_EQ(own.at("memory"), 2048);
  EXPECT_EQ(own.at("prediction").at("rung"), "declared");
}

/// The API over a memory of 1000 bytes.
class BrakedRoutes : public UsageRoutes {
 protected:
  BrakedRoutes() {
    bench.routes->jobs().usages().configure_memory({}, [this](TimePoint) {
      return std::vector<MemoryLimit>{{"host", Bytes{1000}, Bytes{used}}};
    });
  }

  void start(const std::string& id, const std::string& more) {
    submit(R"({"id": ")" + id + R"(", "measured": true, "memory": 200, "cost": 1)" + more + "}");
    report(id);
  }
  json::object report(const std::string& id) {
    bench.now += 100ms;
    return body_of(
        bench.ask("POST", "/v1/jobs/" + id + "/heartbeat", R"({"usage": {"memory": 100}})"));
  }

  std::uint64_t used = 500;
};

constexpr const char* kSuspendable = R"(, "suspendable": true)";

TEST_F(BrakedRoutes, TheYoungestIsToldToStandStillAndWhyUntilMemoryIsBack) {
  start("elder", kSuspendable);
  start("younger", kSuspendable);
  used = 990;
  EXPECT_TRUE(report("elder").at("suspended").is_null());
  const json::object younger = report("younger");
  EXPECT_EQ(younger.at("suspendable"), true);
  EXPECT_EQ(json::serialize(younger.at("suspended")),
            R"x({"message":"memory is short: 990 B of 1000 B used (host)","where":"host",)x"
            R"x("used":990,"limit":1000,"age":1E-1})x");
  EXPECT_FALSE(body_of(bench.ask("GET", "/v1/jobs/younger")).at("suspended").is_null());
  used = 200;
  EXPECT_TRUE(report("younger").at("suspended").is_null());
}

TEST_F(BrakedRoutes, AJobWhoseHolderDoesNotHeedTheBrakeIsLeftAlone) {
  start("elder", kSuspendable);
  start("younger", "");
  used = 990;
  EXPECT_TRUE(report("younger").at("suspended").is_null());
  EXPECT_TRUE(report("elder").at("suspended").is_null()) << "the eldest of all that do";
}

TEST_F(BrakedRoutes, WithoutABrakeAllGoOn) {
  start("elder", kSuspendable);
  start("younger", kSuspendable);
  used = 990;
  EXPECT_FALSE(report("younger").at("suspended").is_null());
  bench.routes->jobs().usages().configure_memory({}, {});
  EXPECT_TRUE(report("younger").at("suspended").is_null());
}

TEST_F(UsageRoutes, LimitsForItsGroupAreThoseOfWhatIsKnown) {
  ReservationOptions options;
  options.z = 2;
  history->learn({"k", "p", 1, Outcome::ok, 1, Bytes{100ULL << 20}, 1s});
  const double deviation = next("k").memory->deviation;
  EXPECT_TRUE(submit(R"({"key": "k", "measured": true, "cost": 1})").at("memory_max").is_null());
  options.enforce = ReservationOptions::Enforce::max;
  bench.routes->jobs().usages().configure_memory(options, {});
  const json::object known = submit(R"({"id": "b", "key": "k", "measured": true, "cost": 1})");
  EXPECT_TRUE(known.at("memory_high").is_null());
  EXPECT_NEAR(known.at("memory_max").to_number<double>(), (100 << 20) + 2 * deviation, 1);
  EXPECT_TRUE(submit(R"({"key": "new", "measured": true, "cost": 1})").at("memory_max").is_null());
  options.enforce = ReservationOptions::Enforce::high;
  bench.routes->jobs().usages().configure_memory(options, {});
  const json::object small = submit(R"({"memory": "1KiB", "cost": 1})");
  EXPECT_EQ(small.at("memory_high"), 64 << 20) << "no job is held to less";
}

TEST(UsageRoutesWithoutHistory, PredictNothing) {
  Bench bench;
  const auto job = body_of(bench.ask("POST", "/v1/jobs", R"({"cost": 5})"));
  EXPECT_TRUE(job.at("prediction").is_null());
}

TEST_F(UsageRoutes, WhatIsWrongWithUsageIsNamedAndNothingIsDone) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {R"({"usage": 5})", "usage"},
      {R"({"usage": {"wall": -1}})", "usage.wall"},
      {R"({"usage": {"wall": "10s"}})", "usage.wall"},
      {R"({"usage": {"cpu": 1e10}})", "usage.cpu"},
      {R"({"usage": {"memory": 1.5}})", "usage.memory"},
      {R"({"usage": {"peak_memory": -4}})", "usage.peak_memory"},
      {R"({"usage": {"read": 9223372036854775807}})", "usage.read"},
      {R"({"usage": {"written": "1"}})", "usage.written"},
      {R"({"usage": {"oom_kills": true}})", "usage.oom_kills"},
      {R"({"usage": {"memroy": 1}})", "usage.memroy"},
      {R"({"used": {}})", "used"},
  };
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  for (const auto& [body, field] : rows) {
    for (const auto& [method, target] :
         {std::pair{"POST", "/v1/jobs/a/heartbeat"}, std::pair{"DELETE", "/v1/jobs/a"}}) {
      const auto response = bench.ask(method, target, body);
      EXPECT_EQ(response->status, 400) << body;
      EXPECT_EQ(body_of(response).at("error").at("field"), field.c_str()) << body;
    }
  }
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/a")).at("state"), "running");
  EXPECT_TRUE(body_of(bench.ask("GET", "/v1/jobs/a")).at("usage").is_null());
}

}  // namespace
}  // namespace sluice::testing::usage_test

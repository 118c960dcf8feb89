// The resource usage of jobs and what is learned from it, over the API.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>

#include "costmodel/cpu_profile.h"
#include "costmodel/history.h"
#include "fixture.h"
#include "service/protocol/usage_body.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;
using namespace std::chrono_literals;

json::object body_of(const std::optional<Response>& response) {
  return json::parse(response->body).as_object();
}

/// The API with a history.
class UsageRoutes : public ::testing::Test {
 protected:
  UsageRoutes() { bench.routes->jobs().usages().learn_with(history); }

  json::object submit(const std::string& body) {
    return body_of(bench.ask("POST", "/v1/jobs", body));
  }
  Prediction next(const std::string& key) const {
    JobRequest job;
    job.key = key;
    job.measured = true;
    return history->predict(job);
  }

  std::shared_ptr<History> history =
      std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
  Bench bench;
};

constexpr const char* kUsage =
    R"({"usage": {"wall": 10, "cpu": 25.5, "memory": 1000, "peak_memory": 4000, "read": 7}})";

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

TEST_F(UsageRoutes, AJobThatNobodyMeasuredTeachesNothing) {
  submit(R"({"id": "a", "key": "k", "cost": 5})");
  bench.ask("DELETE", "/v1/jobs/a");
  EXPECT_TRUE(history->samples("k").empty());
}

TEST_F(UsageRoutes, UsageWithoutMemoryDoesNotTeachThatNoneIsNeeded) {
  submit(R"({"id": "a", "key": "k", "cost": 5})");
  bench.ask("DELETE", "/v1/jobs/a", R"({"usage": {"wall": 10, "cpu": 5}})");
  EXPECT_TRUE(history->samples("k").empty());
}

TEST_F(UsageRoutes, TheEndOfAJobTeachesWhatItUsed) {
  submit(R"({"id": "a", "key": "k", "program": "g++", "measured": true, "cost": 5})");
  bench.now += 10s;
  const auto response = bench.ask("DELETE", "/v1/jobs/a?outcome=failed", kUsage);
  EXPECT_EQ(response->status, 200);
  const std::vector<Sample> runs = history->samples("k");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].program, "g++");
  EXPECT_EQ(runs[0].outcome, Outcome::failed);
  EXPECT_EQ(runs[0].peak_memory, Bytes{4000});
  EXPECT_EQ(runs[0].wall, 10s);
  EXPECT_DOUBLE_EQ(runs[0].busy_cores, 2.55);
  EXPECT_GT(runs[0].ended, 1'700'000'000);
}

TEST_F(UsageRoutes, ReportsTeachWhenAJobNeedsTheCpus) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  std::string usage;
  for (int second = 1; second <= 5; ++second) {
    bench.now += 1s;
    usage = R"({"usage": {"wall": )" + std::to_string(second) + R"(, "cpu": )" +
            (second == 5 ? "1.004" : "0.00" + std::to_string(second)) + R"(, "memory": 1000}})";
    bench.ask("POST", "/v1/jobs/a/heartbeat", usage);
  }
  bench.ask("DELETE", "/v1/jobs/a", usage);
  EXPECT_EQ(to_text(next("k").profile), "4:0.001 5:1");
}

TEST_F(UsageRoutes, WhatChildrenUseIsNoPhaseOfTheirParent) {
  const auto parent = submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  const std::string token(parent.at("permit").as_string());
  submit(R"({"id": "b", "key": "child", "measured": true, "cost": 1, "parent": ")" + token +
         R"("})");
  for (int second = 1; second <= 4; ++second) {
    bench.now += 1s;
    const std::string time = std::to_string(second);
    bench.ask("POST", "/v1/jobs/b/heartbeat",
              R"({"usage": {"wall": )" + time + R"(, "cpu": )" + time + R"(, "memory": 1000}})");
    bench.ask("POST", "/v1/jobs/a/heartbeat",
              R"({"usage": {"wall": )" + time + R"(, "cpu": )" + time + R"(, "memory": 2000}})");
  }
  bench.ask("DELETE", "/v1/jobs/b",
            R"({"usage": {"wall": 4, "cpu": 4, "memory": 1000, "peak_memory": 1000}})");
  bench.now += 6s;
  bench.ask("DELETE", "/v1/jobs/a",
            R"({"usage": {"wall": 10, "cpu": 4.01, "memory": 2000, "peak_memory": 2000}})");
  EXPECT_EQ(to_text(next("k").profile), "10:0.001");
}

TEST_F(UsageRoutes, CpuTimeThatIsToldAtTheEndOnlyWasNoBurst) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  for (int second = 1; second <= 4; ++second) {
    bench.now += 1s;
    bench.ask("POST", "/v1/jobs/a/heartbeat",
              R"({"usage": {"wall": )" + std::to_string(second) + R"(, "memory": 1000}})");
  }
  bench.now += 1s;
  bench.ask("DELETE", "/v1/jobs/a", R"({"usage": {"wall": 5, "cpu": 4, "memory": 1000}})");
  EXPECT_EQ(to_text(next("k").profile), "5:0.8");
}

TEST_F(UsageRoutes, WhatTheDaemonSawItselfIsLearnedAsThat) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  submit(R"({"id": "b", "key": "k", "measured": true, "cost": 5})");
  submit(R"({"id": "c", "key": "k", "measured": true, "cost": 5})");
  bench.held = {{1, Bytes{3200}}, {2, Bytes{3000}}};
  for (const std::string job : {"a", "b", "c"}) {
    bench.ask("POST", "/v1/jobs/" + job + "/heartbeat", R"({"usage": {"memory": 1}})");
    bench.ask("DELETE", "/v1/jobs/" + job, kUsage);
  }
  const std::vector<Sample> runs = history->samples("k");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].seen_by, SeenBy::governor) << "4000 said, 3200 seen: a peak between two looks";
  EXPECT_EQ(runs[1].seen_by, SeenBy::client) << "4000 said, 3000 seen";
  EXPECT_EQ(runs[2].seen_by, SeenBy::client) << "nothing seen";
}

TEST_F(UsageRoutes, AnEndIsLearnedOnce) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  bench.ask("DELETE", "/v1/jobs/a", kUsage);
  bench.ask("DELETE", "/v1/jobs/a", kUsage);
  EXPECT_EQ(history->samples("k").size(), 1U);
}

TEST_F(UsageRoutes, AJobKilledForMemoryIsRememberedWithMoreThanWasKept) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5})");
  const auto answer = bench.ask("DELETE", "/v1/jobs/a?outcome=oom", kUsage);
  EXPECT_EQ(history->samples("k")[0].peak_memory, Bytes{(512ULL << 20) * 3 / 2});
  // And the answer says what is kept for it next time: its prediction, with its margin.
  const auto kept = body_of(answer).at("next_memory").to_number<std::uint64_t>();
  EXPECT_GT(kept, (512ULL << 20) * 3 / 2);
  submit(R"({"id": "b", "key": "k", "measured": true, "cost": 5})");
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/b")).at("permit_memory"), kept);
  EXPECT_FALSE(body_of(bench.ask("DELETE", "/v1/jobs/b", kUsage)).contains("next_memory"));
}

TEST_F(UsageRoutes, WhoseLeaseEndsIsLearnedAsAtLeast) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5, "hold": "connection"})");
  bench.ask("POST", "/v1/jobs/a/heartbeat", kUsage);
  bench.routes->jobs().connection_closed(ConnectionId{1});
  ASSERT_EQ(history->samples("k").size(), 1U);
  EXPECT_EQ(history->samples("k")[0].outcome, Outcome::cancelled);
}

TEST_F(UsageRoutes, WhoWasKilledWithItsGroupIsLearnedAsKilledForMemory) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5, "hold": "connection"})");
  bench.ask("POST", "/v1/jobs/a/heartbeat", kUsage);
  bench.kill = GroupKill{bench.now, bench.now};
  bench.routes->jobs().connection_closed(ConnectionId{1});
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/a")).at("outcome"), "oom");
  ASSERT_EQ(history->samples("k").size(), 1U);
  EXPECT_EQ(history->samples("k")[0].outcome, Outcome::oom);
  EXPECT_EQ(history->samples("k")[0].peak_memory, Bytes{(512ULL << 20) * 3 / 2});
}

TEST_F(UsageRoutes, AnEndThatIsUnknownTeachesNothing) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5, "hold": "connection"})");
  bench.ask("POST", "/v1/jobs/a/heartbeat", kUsage);
  bench.now += 10s;
  bench.kill = GroupKill{bench.now, bench.now};
  bench.routes->jobs().connection_closed(ConnectionId{1});
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/a")).at("outcome"), "unknown");
  EXPECT_TRUE(history->samples("k").empty());
  EXPECT_EQ(bench.governor.status().counters.finished[static_cast<int>(Outcome::unknown)], 1U);
  EXPECT_EQ(bench.usage(), Points{0});
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

TEST(UsageBody, WhatIsWrittenIsReadTheSame) {
  JobUsage usage;
  usage.wall = 1234567us;
  usage.cpu = 2s;
  usage.memory = Bytes{5};
  usage.peak_memory = Bytes{1ULL << 40};
  usage.written = Bytes{9};
  usage.oom_kills = 2;
  const auto parsed = parse_usage_body(usage_body(usage));
  const JobUsage& read = **std::get_if<0>(&parsed);
  EXPECT_EQ(read.source, JobUsage::Source::reported);
  EXPECT_EQ(read.wall, usage.wall);
  EXPECT_EQ(read.cpu, usage.cpu);
  EXPECT_EQ(read.memory, usage.memory);
  EXPECT_EQ(read.peak_memory, usage.peak_memory);
  EXPECT_EQ(read.read, std::nullopt);
  EXPECT_EQ(read.written, usage.written);
  EXPECT_EQ(read.oom_kills, 2U);
}

TEST(LearningDaemon, RemembersAcrossRestartsAndReloads) {
  TemporaryFolder state;
  const std::string yaml =
      std::string(kSmallWindow) + "cost: {model: history}\nstate_dir: " + state.path("s") + "\n";
  const std::string key = R"({"id": "a", "key": "k", "measured": true})";
  {
    RunningDaemon daemon(yaml);
    daemon.ask("POST", "/v1/jobs", key);
    daemon.ask("DELETE", "/v1/jobs/a", kUsage);
    EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
    const ClientReply again = daemon.ask("POST", "/v1/jobs", key);
    EXPECT_EQ(json::parse(again.body).at("prediction").at("rung"), "key") << again.body;
  }
  RunningDaemon daemon(yaml);
  const ClientReply again = daemon.ask("POST", "/v1/jobs", key);
  EXPECT_EQ(json::parse(again.body).at("prediction").at("memory").at("mean"), 4000) << again.body;
}

TEST(LearningRun, TeachesWhatItsCommandUsedUnderADerivedKey) {
  RunningDaemon daemon(std::string(kSmallWindow) + "cost: {model: history}\n");
  const std::string command = SLUICE_COMMAND " run --socket " + daemon.socket() +
                              " -- sh -c 'head -c 30000000 /dev/zero | tail -c 29000000 | wc -c'";
  ASSERT_EQ(std::system((command + " > /dev/null").c_str()), 0);
  const json::value job = json::parse(daemon.ask("GET", "/v1/jobs/1").body);
  EXPECT_EQ(job.at("measured"), true);
  EXPECT_EQ(job.at("program"), "head");
  EXPECT_EQ(job.at("outcome"), "ok");
  EXPECT_TRUE(std::string(job.at("key").as_string()).starts_with("head:")) << job;
  EXPECT_GT(job.at("usage").at("peak_memory").to_number<double>(), 0) << job;
  EXPECT_GT(job.at("usage").at("wall").to_number<double>(), 0) << job;
  ASSERT_EQ(std::system((command + " > /dev/null").c_str()), 0);
  const json::value again = json::parse(daemon.ask("GET", "/v1/jobs/2").body);
  EXPECT_EQ(again.at("prediction").at("rung"), "key") << again;
}

}  // namespace
}  // namespace sluice::testing

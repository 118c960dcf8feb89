// Learning from jobs, over the API.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "costmodel/cpu_profile.h"
#include "usage_fixture.h"

namespace sluice::testing::usage_test {
namespace {

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

TEST_F(UsageRoutes, AProgramThatHeldMuchIsToldToBuilds) {
  const auto learned = [&] { return body_of(bench.ask("GET", "/v1/build")).at("learned"); };
  EXPECT_EQ(learned(), json::array{});
  submit(R"({"id": "a", "key": "k", "program": "gen", "measured": true, "cost": 5})");
  bench.now += 10s;
  bench.ask("DELETE", "/v1/jobs/a",
            R"({"usage": {"wall": 10, "cpu": 5, "memory": 1000, "peak_memory": 70000000}})");
  EXPECT_EQ(learned(), (json::array{"gen"}));
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
  bench.routes->jobs().connection_closed(http::ConnectionId{1});
  ASSERT_EQ(history->samples("k").size(), 1U);
  EXPECT_EQ(history->samples("k")[0].outcome, Outcome::cancelled);
}

TEST_F(UsageRoutes, WhoWasKilledWithItsGroupIsLearnedAsKilledForMemory) {
  submit(R"({"id": "a", "key": "k", "measured": true, "cost": 5, "hold": "connection"})");
  bench.ask("POST", "/v1/jobs/a/heartbeat", kUsage);
  bench.kill = GroupKill{bench.now, bench.now};
  bench.routes->jobs().connection_closed(http::ConnectionId{1});
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
  bench.routes->jobs().connection_closed(http::ConnectionId{1});
  EXPECT_EQ(body_of(bench.ask("GET", "/v1/jobs/a")).at("outcome"), "unknown");
  EXPECT_TRUE(history->samples("k").empty());
  EXPECT_EQ(bench.governor.status().counters.finished[static_cast<int>(Outcome::unknown)], 1U);
  EXPECT_EQ(bench.usage(), Points{0});
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
}  // namespace sluice::testing::usage_test

// The API's table of routes and codes, without sockets.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "fixture.h"
#include "sluice/version.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

json::object body_of(const http::Response& it) { return json::parse(it.body).as_object(); }

std::string error_code(const http::Response& response) {
  return std::string(body_of(response).at("error").at("code").as_string());
}

TEST(Routes, ASubmitThatFitsRunsAtOnce) {
  Bench bench;
  const auto response = bench.ask("POST", "/v1/jobs", R"({"key":"build","cost":15})");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 201);
  const json::object job = body_of(*response);
  EXPECT_EQ(job.at("state"), "running");
  EXPECT_EQ(job.at("cost"), 15);
  EXPECT_EQ(job.at("id"), "1");
  EXPECT_EQ(job.at("lease").at("heartbeat"), 600);
  EXPECT_EQ(bench.usage(), Points{15});
}

TEST(Routes, ASubmitThatDoesNotFitPendsWithItsRefusal) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"cost":15})");
  const auto response = bench.ask("POST", "/v1/jobs", R"({"cost":10,"id":"second"})");
  EXPECT_EQ(response->status, 201);
  const json::object job = body_of(*response);
  EXPECT_EQ(job.at("state"), "pending");
  EXPECT_EQ(job.at("place"), 1);
  EXPECT_EQ(job.at("refusal").at("code"), "window");
  EXPECT_EQ(job.at("refusal").at("usage"), 15);
  const auto third = bench.ask("POST", "/v1/jobs", R"({"cost":5})");
  EXPECT_EQ(body_of(*third).at("refusal").at("code"), "behind");
  EXPECT_EQ(body_of(*third).at("refusal").at("ahead"), "second");
  EXPECT_EQ(body_of(*third).at("refusal").at("message"), "behind job second, which comes first");
}

TEST(Routes, TheSameIdAgainIsTheSameJob) {
  Bench bench;
  const auto first = bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})");
  const auto again = bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_EQ(again->status, 200);
  EXPECT_EQ(body_of(*again).at("number"), body_of(*first).at("number"));
  EXPECT_EQ(bench.usage(), Points{5});
  bench.ask("DELETE", "/v1/jobs/a");
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})")->status, 201);
}

TEST(Routes, AWaitIsAnsweredOnAdmission) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  EXPECT_FALSE(bench.ask("POST", "/v1/jobs?wait=30s", R"({"id":"b","cost":20})", 2));
  EXPECT_TRUE(bench.replies.empty());
  bench.ask("DELETE", "/v1/jobs/a");
  ASSERT_TRUE(bench.pump_until([&] { return !bench.replies.empty(); }));
  EXPECT_EQ(bench.replies[0].first, 2u);
  EXPECT_EQ(bench.replies[0].second.status, 201);
  EXPECT_EQ(body_of(bench.replies[0].second).at("state"), "running");
}

TEST(Routes, AWaitEndsAtItsTimeAndTheJobStillPends) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  EXPECT_FALSE(bench.ask("GET", "/v1/jobs/b?wait=30s", "", 3));
  bench.routes->jobs().tick(bench.now + std::chrono::seconds(29));
  EXPECT_TRUE(bench.replies.empty());
  bench.routes->jobs().tick(bench.now + std::chrono::seconds(30));
  ASSERT_EQ(bench.replies.size(), 1u);
  EXPECT_EQ(bench.replies[0].second.status, 200);
  EXPECT_EQ(body_of(bench.replies[0].second).at("state"), "pending");
}

TEST(Routes, WhatCanNeverRunIs422AndNotCountedTwice) {
  Bench bench;
  const auto response = bench.ask("POST", "/v1/jobs", R"({"cost":21})");
  EXPECT_EQ(response->status, 422);
  EXPECT_EQ(error_code(*response), "impossible");
  EXPECT_EQ(body_of(*response).at("refusal").at("size"), 20);
  const auto code = static_cast<std::size_t>(RefusalCode::impossible);
  EXPECT_EQ(bench.governor.status().counters.rejected[code], 1u);
}

TEST(Routes, AQueuedJobIsNotCountedAsRejected) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"cost":20})");
  bench.ask("POST", "/v1/jobs", R"({"cost":20})");
  bench.ask("POST", "/v1/jobs", R"({"cost":20})");
  for (const std::uint64_t count : bench.governor.status().counters.rejected) EXPECT_EQ(count, 0u);
}

TEST(Routes, TooManyPendingIs429WithRetryAfter) {
  GovernorOptions options = fixed_window(20);
  options.max_pending = 1;
  Bench bench(std::move(options));
  bench.ask("POST", "/v1/jobs", R"({"cost":20})");
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", R"({"cost":20})")->status, 201);
  const auto response = bench.ask("POST", "/v1/jobs", R"({"cost":20})");
  EXPECT_EQ(response->status, 429);
  EXPECT_NE(response->headers.find("Retry-After: "), std::string::npos);
}

TEST(Routes, ADaemonOnItsWayToItsEndSaysSoAndKnowsWhatItHas) {
  Bench bench;
  const std::string job = R"({"id":"a","cost":5})";
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", job)->status, 201);
  bench.governor.drain();
  bench.routes->leave();
  const auto fresh = bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":5})");
  EXPECT_EQ(fresh->status, 503);
  EXPECT_EQ(error_code(*fresh), "stopping") << "not an operator's drain: the next daemon takes it";
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", job)->status, 200);
}

TEST(Routes, DrainingIs503UntilResumed) {
  Bench bench;
  EXPECT_EQ(body_of(*bench.ask("POST", "/v1/drain")).at("draining"), true);
  const auto response = bench.ask("POST", "/v1/jobs");
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(error_code(*response), "draining");
  EXPECT_EQ(bench.ask("GET", "/readyz")->status, 200) << "ready is serving, not accepting";
  bench.ask("POST", "/v1/resume");
  EXPECT_EQ(bench.ask("POST", "/v1/jobs")->status, 201);
}

TEST(Routes, PausedJobsPendUntilResumed) {
  Bench bench;
  EXPECT_EQ(body_of(*bench.ask("POST", "/v1/pause")).at("paused"), true);
  EXPECT_FALSE(bench.ask("POST", "/v1/jobs?wait=30s", R"({"cost":5})", 9));
  EXPECT_EQ(bench.ask("GET", "/health/status")->status, 503);
  bench.ask("POST", "/v1/resume");
  ASSERT_TRUE(bench.pump_until([&] { return !bench.replies.empty(); }));
  EXPECT_EQ(body_of(bench.replies[0].second).at("state"), "running");
}

TEST(Routes, ListsRunningThenPending) {
  Bench bench;
  for (const char* id : {"a", "b", "c"}) {
    bench.ask("POST", "/v1/jobs", "{\"cost\":20,\"id\":\"" + std::string(id) + "\"}");
  }
  const json::object all = body_of(*bench.ask("GET", "/v1/jobs"));
  ASSERT_EQ(all.at("jobs").as_array().size(), 3u);
  EXPECT_EQ(all.at("jobs").at(0).at("id"), "a");
  EXPECT_EQ(all.at("jobs").at(2).at("place"), 2);
  EXPECT_EQ(all.at("pending"), 2);
  const json::object some = body_of(*bench.ask("GET", "/v1/jobs?state=pending&limit=1"));
  ASSERT_EQ(some.at("jobs").as_array().size(), 1u);
  EXPECT_EQ(some.at("jobs").at(0).at("id"), "b");
  EXPECT_EQ(bench.ask("GET", "/v1/jobs?limit=x")->status, 400);
  EXPECT_EQ(bench.ask("GET", "/v1/jobs?state=odd")->status, 400);
}

TEST(Routes, FinishSaysTheOutcomeAndAgainTheSame) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_EQ(bench.ask("DELETE", "/v1/jobs/a?outcome=odd")->status, 400);
  const auto first = bench.ask("DELETE", "/v1/jobs/a?outcome=oom");
  EXPECT_EQ(body_of(*first).at("outcome"), "oom");
  EXPECT_EQ(body_of(*first).at("ended_by"), "finish");
  EXPECT_TRUE(body_of(*first).at("lease").is_null());
  const auto again = bench.ask("DELETE", "/v1/jobs/a?outcome=ok");
  EXPECT_EQ(again->status, 200);
  EXPECT_EQ(body_of(*again).at("outcome"), "oom");
  EXPECT_EQ(bench.governor.status().counters.finished[static_cast<int>(Outcome::oom)], 1u);
  EXPECT_EQ(bench.usage(), Points{0});
}

TEST(Routes, FinishOfAPendingJobCancelsIt) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  EXPECT_EQ(body_of(*bench.ask("DELETE", "/v1/jobs/b")).at("outcome"), "cancelled");
  EXPECT_EQ(bench.governor.status().pending, 0u);
  EXPECT_EQ(bench.ask("POST", "/v1/jobs/b/heartbeat")->status, 409);
}

TEST(Routes, StartedEndsTheStartingPhase) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"reports_started":true})");
  EXPECT_EQ(bench.governor.status().starting, 1u);
  EXPECT_EQ(body_of(*bench.ask("POST", "/v1/jobs/a/started")).at("starting"), false);
  EXPECT_EQ(bench.governor.status().starting, 0u);
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  EXPECT_EQ(bench.ask("POST", "/v1/jobs/b/started")->status, 409);
}

TEST(Routes, AProcessNobodyCanWatchIsA400AndHoldsNothing) {
  Bench bench;
  bench.watch_problem = "there is no process 99";
  const auto response = bench.ask("POST", "/v1/jobs", R"({"cost":5,"pid":99})");
  EXPECT_EQ(response->status, 400);
  EXPECT_EQ(body_of(*response).at("error").at("field"), "pid");
  EXPECT_EQ(bench.usage(), Points{0});
  EXPECT_EQ(bench.governor.status().counters.admitted, 0u) << "it never was a job";
}

TEST(Routes, ReloadGivesEveryErrorWithItsPlace) {
  Bench bench;
  EXPECT_TRUE(body_of(*bench.ask("POST", "/v1/reload")).at("file").is_null()) << "there is none";
  bench.reload_result = Reloaded{"sluice.yaml", {"state_dir"}};
  EXPECT_EQ(body_of(*bench.ask("POST", "/v1/reload")).at("file"), "sluice.yaml");
  EXPECT_EQ(body_of(*bench.ask("POST", "/v1/reload")).at("at_restart").at(0), "state_dir");
  bench.reload_result = std::vector<ConfigError>{{"a.yaml", 3, 5, "odd"}, {"a.yaml", 9, 1, "x"}};
  const auto response = bench.ask("POST", "/v1/reload");
  EXPECT_EQ(response->status, 422);
  ASSERT_EQ(body_of(*response).at("errors").as_array().size(), 2u);
  EXPECT_EQ(body_of(*response).at("errors").at(0).at("line"), 3);
}

struct Row {
  const char* method;
  const char* target;
  const char* body;
  int status;
  const char* code;
};

class BadRequest : public ::testing::TestWithParam<Row> {};

TEST_P(BadRequest, GetsItsOwnAnswer) {
  Bench bench;
  const auto response = bench.ask(GetParam().method, GetParam().target, GetParam().body);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, GetParam().status);
  EXPECT_EQ(error_code(*response), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadRequest,
    ::testing::Values(Row{"GET", "/v1", "", 404, "no_such_path"},
                      Row{"GET", "/v1/jobs/nope", "", 404, "no_such_job"},
                      Row{"GET", "/v1/jobs/99", "", 404, "no_such_job"},
                      Row{"GET", "/v1/jobs/", "", 404, "no_such_path"},
                      Row{"DELETE", "/v1/jobs/nope", "", 404, "no_such_job"},
                      Row{"POST", "/v1/jobs/nope/started", "", 404, "no_such_job"},
                      Row{"POST", "/v1/jobs/nope/heartbeat", "", 404, "no_such_job"},
                      Row{"PUT", "/v1/jobs", "", 405, "method_not_allowed"},
                      Row{"POST", "/v1/status", "", 405, "method_not_allowed"},
                      Row{"GET", "/v1/pause", "", 405, "method_not_allowed"},
                      Row{"BREW", "/v1/jobs", "", 501, "unknown_method"},
                      Row{"GET", "/%zz", "", 400, "bad_target"},
                      Row{"GET", "/v1/status?x=1", "", 400, "unknown_parameter"},
                      Row{"POST", "/v1/jobs?wiat=3s", "", 400, "unknown_parameter"},
                      Row{"POST", "/v1/jobs?wait=soon", "", 400, "bad_value"},
                      Row{"POST", "/v1/jobs?wait=", "", 400, "bad_value"},
                      Row{"GET", "/v1/jobs?state=", "", 400, "bad_value"},
                      Row{"POST", "/v1/jobs?wait=1s&wait=2s", "", 400, "repeated_parameter"},
                      Row{"POST", "/v1/pause", R"({"for":"1h"})", 400, "unknown_field"},
                      Row{"POST", "/v1/reload", "[]", 400, "bad_json"},
                      Row{"POST", "/v1/jobs", "{", 400, "bad_json"},
                      Row{"POST", "/v1/jobs", "{\"prio\":1}", 400, "unknown_field"}));

TEST(Routes, WhatThisVersionDoesNotKnowIsAnsweredWithTheVersion) {
  Bench bench;
  const std::string version = std::string(R"("version":")") + kVersion + R"(","api":"1.0"})";
  for (const char* body : {R"({"colour":"red"})", R"({"position":"front"})"}) {
    const auto answer = bench.ask("POST", "/v1/jobs", body);
    EXPECT_NE(answer->body.find(version), std::string::npos) << answer->body;
  }
  const auto parameter = bench.ask("GET", "/v1/status?colour=red", "");
  EXPECT_NE(parameter->body.find(version), std::string::npos) << parameter->body;
  const auto other = bench.ask("POST", "/v1/jobs", R"({"cost":-1})");
  EXPECT_EQ(other->body.find("version"), std::string::npos) << other->body;
}

TEST(Routes, ARepeatedSubmitThatWaitsIsAnsweredAndCountedAsASubmit) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"full","cost":20})");
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  const auto at_once = bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  EXPECT_FALSE(bench.ask("POST", "/v1/jobs?wait=10s", R"({"id":"a","cost":20})", 7));
  bench.now += std::chrono::seconds(10);
  bench.routes->jobs().tick(bench.now);
  ASSERT_EQ(bench.replies.size(), 1u);
  const http::Response& late = bench.replies.front().second;
  EXPECT_EQ(late.status, 200);
  EXPECT_EQ(late.body.find("explanation") == std::string::npos,
            at_once->body.find("explanation") == std::string::npos);
  std::uint64_t submits = 0, shows = 0;
  for (const ClientRequests& each : bench.routes->requests()) {
    if (each.op == "submit" && each.code == 200) submits += each.count;
    if (each.op == "show") shows += each.count;
  }
  EXPECT_EQ(submits, 2u);
  EXPECT_EQ(shows, 0u);
}

TEST(Routes, AFieldThatIsGivenTwiceIsRefused) {
  Bench bench;
  const auto body_of = [&](const char* text) {
    const auto answer = bench.ask("POST", "/v1/jobs", text);
    EXPECT_EQ(answer->status, 400) << text;
    return answer->body;
  };
  const std::string twice = body_of(R"({"cost":1,"id":"a","cost":2})");
  EXPECT_NE(twice.find("`cost` is given twice"), std::string::npos) << twice;
  EXPECT_NE(twice.find("\"field\":\"cost\""), std::string::npos) << twice;
  const std::string nested = body_of(R"({"locks":{"node":"shared:a","node":"shared:b"}})");
  EXPECT_NE(nested.find("\"field\":\"locks.node\""), std::string::npos) << nested;
  body_of(R"({"c\u006fst":1,"cost":2})");
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", R"({"params":{"a":"1"},"id":"a"})")->status, 201);
  EXPECT_EQ(bench.governor.status().running, 1u);
}

TEST(Routes, A405NamesWhatIsAllowed) {
  Bench bench;
  EXPECT_EQ(bench.ask("PUT", "/v1/jobs")->headers, "Allow: POST, GET, HEAD\r\n");
  EXPECT_EQ(bench.ask("GET", "/v1/drain")->headers, "Allow: POST\r\n");
  EXPECT_NE(bench.ask("GET", "/v1/drain")->body.find("\"field\":null"), std::string::npos);
}

TEST(Routes, ABodyThatIsNoJsonIs415) {
  Bench bench;
  http::Request request;
  request.method = "POST";
  request.target = "/v1/jobs";
  request.body = "<x/>";
  request.content_type = "text/xml";
  request.peer.user = 0;
  EXPECT_EQ(bench.ask(request)->status, 415);
  request.content_type = "application/x-www-form-urlencoded";
  request.body = "{}";
  EXPECT_EQ(bench.ask(request)->status, 201) << "what curl says of JSON";
  request.content_encoding = "gzip";
  EXPECT_EQ(bench.ask(request)->status, 415);
}

TEST(Routes, OverTcpEverythingIsReadOnlyAndTheHostIsChecked) {
  Bench bench;
  http::Request request;
  request.method = "GET";
  request.target = "/v1/status";
  request.peer.transport = http::Transport::tcp;
  for (const char* host : {"127.0.0.1:9797", "[::1]", "localhost", "LOCALHOST:1", "builder7", ""}) {
    request.host = host;
    EXPECT_EQ(bench.ask(request)->status, 200) << host;
  }
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "sluice"}) {
    request.host = host;
    EXPECT_EQ(bench.ask(request)->status, 421) << host;
  }
  request.host = "localhost";
  bench.ask("POST", "/v1/jobs", R"({"cost":5})");
  for (const char* method : {"POST", "DELETE", "PATCH", "BREW"}) {
    request.method = method;
    for (const char* target : {"/v1/jobs", "/v1/jobs/1", "/v1/pause", "/metrics"}) {
      request.target = target;
      EXPECT_EQ(bench.ask(request)->status, 403) << method << " " << target;
    }
  }
  EXPECT_EQ(bench.usage(), Points{5});
  EXPECT_FALSE(bench.governor.status().paused);
}

TEST(Routes, HealthAndMetricsAreThere) {
  Bench bench;
  for (const char* path : {"/livez", "/healthz", "/readyz", "/health/live", "/health/ready"}) {
    EXPECT_EQ(bench.ask("GET", path)->body, "ok\n") << path;
  }
  EXPECT_EQ(bench.ask("GET", "/metrics")->body, "size 20\n");
  ASSERT_TRUE(eventually([&] { return bench.ask("GET", "/health/status")->status == 200; }));
}

TEST(Routes, StoppingAnswersWhoWaitsAndWhoComes) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  EXPECT_FALSE(bench.ask("POST", "/v1/jobs?wait=30s", R"({"cost":20})", 5));
  bench.routes->stop();
  ASSERT_EQ(bench.replies.size(), 1u);
  EXPECT_EQ(bench.replies[0].second.status, 503);
  EXPECT_EQ(bench.ask("POST", "/v1/jobs")->status, 503);
  EXPECT_EQ(bench.ask("GET", "/readyz")->status, 503);
  EXPECT_EQ(bench.ask("GET", "/livez")->status, 200);
}

TEST(Routes, RequestsAreCountedByRouteAndCode) {
  Bench bench;
  bench.ask("GET", "/v1/jobs/nope");
  bench.ask("GET", "/v1/jobs/other");
  bench.ask("GET", "/nowhere");
  std::map<std::pair<std::string, int>, std::uint64_t> counts;
  for (const auto& each : bench.routes->requests()) counts[{each.op, each.code}] += each.count;
  EXPECT_EQ((counts[{"show", 404}]), 2u);
  EXPECT_EQ((counts[{"other", 404}]), 1u);
  EXPECT_TRUE((counts.contains({"submit", 429}))) << "listed before it happens";
}

}  // namespace
}  // namespace sluice::testing

// Queues, locks, resource managers and dependencies over the API, without sockets.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <ctime>

#include "fixture.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

GovernorOptions options_of_two_queues() {
  GovernorOptions options = fixed_window(100);
  options.queueing.queues = {{"default", {}}, {"nightly", {{"db"}, false, std::nullopt}}};
  ResourceOptions db, ports, solo;
  db.total = 4;
  ports.kind = ResourceOptions::Kind::discrete;
  ports.items = {"p1", "p2"};
  solo.kind = ResourceOptions::Kind::highlander;
  options.queueing.resources = {{"db", db}, {"ports", ports}, {"solo", solo}, {"jqm", ports}};
  return options;
}

class QueueRoutes : public ::testing::Test {
 protected:
  json::object ask(const char* method, const std::string& target, const std::string& body = {}) {
    const auto response = bench.ask(method, target, body);
    status = response ? response->status : 0;
    return response ? json::parse(response->body).as_object() : json::object();
  }
  json::object submit(const std::string& body) { return ask("POST", "/v1/jobs", body); }
  json::object show(const std::string& id) { return ask("GET", "/v1/jobs/" + id); }
  json::object set(const std::string& id, const std::string& body) {
    return ask("PATCH", "/v1/jobs/" + id, body);
  }
  void expect_error(const json::object& answer, int code, const char* name,
                    const json::value& field_name) {
    EXPECT_EQ(status, code);
    ASSERT_TRUE(answer.contains("error")) << json::serialize(answer);
    EXPECT_EQ(text(answer.at("error").at("code")), name);
    EXPECT_EQ(answer.at("error").at("field"), field_name);
    EXPECT_NE(text(answer.at("error").at("message")), "");
  }
  static std::string text(const json::value& value) {
    return value.is_string() ? json::value_to<std::string>(value) : json::serialize(value);
  }
  bool becomes(const std::string& id, const std::string& state) {
    return bench.pump_until([&] { return text(show(id).at("state")) == state; });
  }

  Bench bench{options_of_two_queues()};
  int status = 0;
};

TEST_F(QueueRoutes, WhatIsNotThereIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"queue":"nightyl"})", "queue"},
      {R"({"locks":{"floor":"exclusive:a"}})", "locks.floor"},
      {R"({"resources":{"gpu":1}})", "resources.gpu"}};
  for (const auto& [body, name] : cases) expect_error(submit(body), 422, "invalid", name);
  EXPECT_EQ(bench.governor.status().counters.submitted, 0u);
}

TEST_F(QueueRoutes, MoreThanThereIsCanNeverRun) {
  expect_error(submit(R"({"resources":{"db":5}})"), 422, "impossible", "resources.db");
  expect_error(submit(R"({"cost":101})"), 422, "impossible", "cost");
}

TEST_F(QueueRoutes, AJobShowsWhatItDeclared) {
  const json::object job =
      submit(R"({"id":"a","queue":"nightly","nice":3,"reasons":["r"],"params":{"i":"i1"},)"
             R"("locks":{"node":"exclusive:b,a"},"resources":{"ports":1},"on_failure":"run"})");
  EXPECT_EQ(status, 201);
  EXPECT_EQ(job.at("queue"), "nightly");
  EXPECT_EQ(job.at("nice"), 3);
  EXPECT_EQ(job.at("locks"), json::object({{"node", "exclusive:a,b"}}));
  EXPECT_EQ(job.at("resources").at("ports"), 1);
  EXPECT_EQ(job.at("on_failure"), "run");
  EXPECT_EQ(job.at("params").at("i"), "i1");
  EXPECT_EQ(job.at("reasons").at(0), "r");
  EXPECT_EQ(job.at("frozen"), false);
  EXPECT_EQ(submit("{}").at("queue"), "default") << "what is left out is filled in";
}

TEST_F(QueueRoutes, ARunningJobShowsItsItemsAndTheirEnvironment) {
  const json::object job = submit(R"({"id":"a","resources":{"ports":2,"jqm":1}})");
  EXPECT_EQ(job.at("state"), "running");
  EXPECT_EQ(json::serialize(job.at("items").at("ports")), R"(["p1","p2"])");
  EXPECT_EQ(job.at("environment"), json::object({{"JQM_RM_DISCRETE_JQM_ITEMS", "p1"},
                                                 {"SLUICE_RM_JQM_ITEMS", "p1"},
                                                 {"SLUICE_RM_PORTS_ITEMS", "p1,p2"}}));
  ask("DELETE", "/v1/jobs/a");
  EXPECT_TRUE(show("a").at("items").as_object().empty());
}

TEST_F(QueueRoutes, SayHowManyJobsOfAKindFit) {
  const json::object fit = ask("GET", "/v1/fit?key=cc%3Aa.c&program=cc");
  EXPECT_EQ(status, 200);
  EXPECT_EQ(text(fit.at("key")), "cc:a.c");
  EXPECT_EQ(text(fit.at("program")), "cc");
  EXPECT_GE(fit.at("jobs").as_int64(), 0);
  const std::string bound = text(fit.at("bound"));
  EXPECT_TRUE(bound == "cpus" || bound == "memory" || bound == "window") << bound;
  EXPECT_TRUE(fit.contains("rung") && fit.contains("cores") && fit.contains("memory"));
  const std::int64_t before = fit.at("jobs").as_int64();
  submit(R"({"id":"a","cost":100})");
  const json::object full = ask("GET", "/v1/fit?key=cc%3Aa.c&program=cc");
  EXPECT_EQ(text(full.at("bound")), "window");
  EXPECT_LT(full.at("jobs").as_int64(), before) << "the window is full";
}

TEST_F(QueueRoutes, AShortManagerIsRefusedWithItsNumbers) {
  submit(R"({"id":"a","resources":{"db":3}})");
  const json::object job = submit(R"({"id":"b","resources":{"db":2}})");
  EXPECT_EQ(job.at("state"), "pending");
  const json::value& refusal = job.at("refusal");
  EXPECT_EQ(refusal.at("code"), "resource");
  EXPECT_EQ(refusal.at("binding"), "db");
  EXPECT_EQ(refusal.at("needs"), 2);
  EXPECT_EQ(refusal.at("free"), 1);
  EXPECT_EQ(refusal.at("total"), 4);
  ask("DELETE", "/v1/jobs/a");
  EXPECT_TRUE(becomes("b", "running"));
}

TEST_F(QueueRoutes, AWaitingHighlanderIsTheAnswerToItsLikes) {
  const std::string body = R"("key":"deploy","resources":{"solo":1},"hold":"connection"})";
  EXPECT_EQ(submit(R"({"id":"a",)" + body).at("state"), "running");
  EXPECT_EQ(submit(R"({"id":"b",)" + body).at("state"), "pending");
  const auto again = bench.ask("POST", "/v1/jobs?wait=30s", R"({"id":"c",)" + body, 7);
  ASSERT_TRUE(again) << "there is nothing to wait for";
  EXPECT_EQ(again->status, 200);
  const json::object job = json::parse(again->body).as_object();
  EXPECT_EQ(job.at("deduplicated"), true);
  EXPECT_EQ(job.at("id"), "b");
  EXPECT_FALSE(show("b").contains("deduplicated"));
  EXPECT_EQ(bench.governor.status().pending, 1u);
  bench.routes->jobs().connection_closed(http::ConnectionId{7});
  EXPECT_EQ(show("b").at("state"), "pending") << "the second holds nothing";
  ask("DELETE", "/v1/jobs/a");
  EXPECT_TRUE(becomes("b", "running"));
}

TEST_F(QueueRoutes, AHighlanderOfTheDaemonItselfIsTheAnswerToItsLikes) {
  submit(R"({"id":"full","cost":100})");
  JobRequest own;
  own.key = "jobserver:build";
  own.resources = {{"solo", 1}};
  const auto queued = bench.governor.submit(own, [](JobId, Admission) {});
  ASSERT_TRUE(std::holds_alternative<Queued>(queued));
  const auto answer = submit(R"({"key":"jobserver:build","resources":{"solo":1}})");
  expect_error(answer, 409, "deduplicated", nullptr);
  EXPECT_EQ(bench.governor.status().pending, 1u);
  EXPECT_EQ(bench.routes->jobs().leases().size(), 1u);
}

TEST_F(QueueRoutes, AJobComesAfterOthers) {
  submit(R"({"id":"a","cost":5})");
  const json::object job = submit(R"({"id":"b","cost":5,"after":["a"]})");
  EXPECT_EQ(job.at("state"), "pending");
  EXPECT_EQ(job.at("refusal").at("code"), "dependency");
  EXPECT_EQ(job.at("refusal").at("ahead"), "a");
  EXPECT_EQ(json::serialize(job.at("after")), R"(["a"])");
  ask("DELETE", "/v1/jobs/a?outcome=ok");
  EXPECT_TRUE(becomes("b", "running"));
  EXPECT_EQ(submit(R"({"cost":5,"after":["a",1]})").at("state"), "running") << "over, and well";
}

TEST_F(QueueRoutes, AJobIsCancelledWithTheOneItComesAfter) {
  submit(R"({"id":"a","cost":5})");
  submit(R"({"id":"b","cost":5,"after":["a"]})");
  EXPECT_FALSE(bench.ask("GET", "/v1/jobs/b?wait=30s", "", 3));
  ask("DELETE", "/v1/jobs/a?outcome=failed");
  ASSERT_TRUE(bench.pump_until([&] { return !bench.replies.empty(); }));
  EXPECT_EQ(bench.replies[0].second.status, 200);
  const json::object job = show("b");
  EXPECT_EQ(job.at("state"), "finished");
  EXPECT_EQ(job.at("outcome"), "cancelled");
  EXPECT_EQ(job.at("ended_by"), "refused");
  EXPECT_EQ(job.at("refusal").at("code"), "dependency");
  EXPECT_EQ(job.at("refusal").at("ahead"), "a");
  expect_error(submit(R"({"after":["a"]})"), 422, "dependency", "after");
}

TEST_F(QueueRoutes, WhatNobodySubmittedCannotBeWaitedFor) {
  expect_error(submit(R"({"id":"b","after":["nobody"]})"), 422, "invalid", "after");
  expect_error(submit(R"({"id":"b","after":[99]})"), 422, "invalid", "after");
  expect_error(submit(R"({"id":"b","after":["b"]})"), 400, "bad_value", "after");
  EXPECT_EQ(bench.governor.status().pending, 0u);
}

TEST_F(QueueRoutes, RejectedByARuleIs422) {
  GovernorOptions options = options_of_two_queues();
  RuleOptions rule;
  rule.key = "bad-*";
  rule.action = RuleOptions::Action::reject;
  options.queueing.rules = {rule};
  Bench other(options);
  const auto response = other.ask("POST", "/v1/jobs", R"({"key":"bad-idea"})");
  EXPECT_EQ(response->status, 422);
  EXPECT_EQ(json::parse(response->body).at("error").at("code"), "rule");
  EXPECT_EQ(other.ask("POST", "/v1/jobs", R"({"key":"good"})")->status, 201);
}

class Waiting : public QueueRoutes {
 protected:
  void SetUp() override {
    submit(R"({"id":"full","cost":100})");
    for (const char* id : {"a", "b", "c"})
      submit("{\"cost\":5,\"id\":\"" + std::string(id) + "\"}");
  }
  std::string order() {
    std::string ids;
    const json::object jobs = ask("GET", "/v1/jobs?state=pending");
    for (const json::value& job : jobs.at("jobs").as_array()) ids += text(job.at("id"));
    return ids;
  }
};

TEST_F(Waiting, PriorityAndPositionChangeTheOrder) {
  EXPECT_EQ(set("c", R"({"priority":9})").at("place"), 1);
  EXPECT_EQ(status, 200);
  EXPECT_EQ(order(), "cab");
  EXPECT_EQ(set("b", R"({"position":"front"})").at("priority"), 0);
  EXPECT_EQ(order(), "cba");
  set("b", R"({"position":{"after":"a"}})");
  EXPECT_EQ(order(), "cab");
  set("b", R"({"position":{"before":"a"}})");
  EXPECT_EQ(order(), "cba");
  set("b", R"({"position":"back","priority":0})");
  EXPECT_EQ(order(), "cab");
}

TEST_F(Waiting, AFrozenJobIsPassedOverUntilItThaws) {
  const json::object frozen = set("a", R"({"frozen":true})");
  EXPECT_EQ(frozen.at("frozen"), true);
  EXPECT_EQ(frozen.at("refusal").at("code"), "frozen");
  ask("DELETE", "/v1/jobs/full");
  EXPECT_TRUE(becomes("c", "running"));
  EXPECT_EQ(show("a").at("state"), "pending");
  set("a", R"({"frozen":false})");
  EXPECT_TRUE(becomes("a", "running"));
}

/// Milliseconds of a time in the API's format.
std::int64_t milliseconds(const json::value& time) {
  const std::string text(time.as_string());
  std::tm parts{};
  strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return timegm(&parts) * 1000 + std::stoi(text.substr(20, 3));
}

TEST_F(Waiting, AJobMovesToAnotherQueueAndKeepsItsAge) {
  const json::object before = show("b");
  const json::object moved = set("b", R"({"queue":"nightly","nice":7})");
  EXPECT_EQ(moved.at("queue"), "nightly");
  EXPECT_EQ(moved.at("nice"), 7);
  // Wall times derive from two clocks, which are not read at the same instant.
  EXPECT_NEAR(static_cast<double>(milliseconds(moved.at("submitted"))),
              static_cast<double>(milliseconds(before.at("submitted"))), 20);
}

TEST_F(Waiting, ABadChangeNamesItsFieldAndChangesNothing) {
  const std::string before = order();
  expect_error(set("c", R"({"priority":9,"queue":"nowhere"})"), 422, "invalid", "queue");
  expect_error(set("c", R"({"priority":9,"locks":{"floor":"all-shared"}})"), 422, "invalid",
               "locks.floor");
  expect_error(set("c", R"({"priority":9,"position":{"before":"nobody"}})"), 422, "invalid",
               "position");
  expect_error(set("c", R"({"priority":9,"position":{"before":"full"}})"), 422, "invalid",
               "position");
  expect_error(set("c", R"({"priority":9,"position":{"before":"c"}})"), 422, "invalid", "position");
  expect_error(set("full", R"({"priority":9})"), 422, "invalid", "priority");
  EXPECT_EQ(order(), before);
  EXPECT_EQ(show("c").at("priority"), 0);
}

TEST_F(Waiting, WhatIsOverOrNeverWasCannotBeChanged) {
  set("nobody", R"({"priority":1})");
  EXPECT_EQ(status, 404);
  ask("DELETE", "/v1/jobs/c");
  set("c", R"({"priority":1})");
  EXPECT_EQ(status, 409);
}

TEST_F(Waiting, AQueueIsPausedAlone) {
  const json::object paused = ask("POST", "/v1/queues/default/pause");
  EXPECT_EQ(status, 200);
  EXPECT_EQ(paused.at("queue"), "default");
  EXPECT_EQ(paused.at("paused"), true);
  EXPECT_EQ(paused.at("pending"), 3);
  ask("DELETE", "/v1/jobs/full");
  EXPECT_EQ(show("a").at("refusal").at("code"), "queue_paused");
  EXPECT_EQ(submit(R"({"cost":5,"queue":"nightly"})").at("state"), "running");
  EXPECT_EQ(ask("POST", "/v1/queues/default/resume").at("paused"), false);
  EXPECT_TRUE(becomes("c", "running"));
}

TEST_F(Waiting, AQueueThatIsNotThereIsNamed) {
  for (const char* verb : {"pause", "resume"}) {
    expect_error(ask("POST", std::string("/v1/queues/nightyl/") + verb), 404, "no_such_queue",
                 "queue");
  }
  const json::object answer = ask("POST", "/v1/queues/nightyl/pause");
  EXPECT_EQ(text(answer.at("error").at("message")),
            "there is no queue `nightyl`; did you mean `nightly`?");
}

TEST_F(Waiting, ABranchOfAQueueIsNotOperatedAlone) {
  submit(R"({"queue":"default/b","cost":1})");
  ASSERT_EQ(status, 201);
  ASSERT_NE(json::serialize(ask("GET", "/v1/status")).find("default/b"), std::string::npos);
  for (const char* verb : {"pause", "resume"}) {
    const json::object answer = ask("POST", std::string("/v1/queues/default%2Fb/") + verb);
    EXPECT_EQ(status, 404) << verb;
    EXPECT_EQ(text(answer.at("error").at("message")),
              "`default/b` is a branch of `default`: pause or resume that");
  }
  const json::object other = ask("POST", "/v1/queues/defaul%2Fb/pause");
  EXPECT_EQ(text(other.at("error").at("message")).find("default/b"), std::string::npos)
      << "it cannot be operated, so nobody meant it";
}

TEST_F(QueueRoutes, TheStatusShowsQueuesAndManagers) {
  submit(R"({"cost":5,"queue":"nightly","resources":{"db":4}})");
  submit(R"({"cost":5,"queue":"nightly","id":"b"})");
  const json::object status_now = ask("GET", "/v1/status");
  const json::array& queues = status_now.at("queues").as_array();
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[1].at("name"), "nightly");
  EXPECT_EQ(queues[1].at("running"), 1);
  EXPECT_EQ(queues[1].at("pending"), 1);
  EXPECT_EQ(queues[1].at("limiting").at("code"), "resource");
  const json::array& resources = status_now.at("resources").as_array();
  ASSERT_EQ(resources.size(), 4u);
  EXPECT_EQ(resources[0].at("manager"), "db");
  EXPECT_EQ(resources[0].at("used"), 4);
  EXPECT_EQ(resources[0].at("waiting"), 1);
  EXPECT_TRUE(resources[3].at("total").is_null()) << "a highlander";
}

TEST_F(QueueRoutes, ExplainGivesEveryCauseByTheClientsIds) {
  submit(R"({"id":"r1","cost":50,"locks":{"node":"exclusive:n1"},"resources":{"db":4}})");
  submit(R"({"id":"r2","cost":50,"locks":{"instance":"exclusive:i2","node":"shared:n2"}})");
  submit(R"({"id":"w","cost":5,"locks":{"instance":"shared:i1","node":"exclusive:n1"},)"
         R"("resources":{"db":1}})");
  const json::object job = show("w");
  const json::object& explain = job.at("explain").as_object();
  std::map<std::string, std::pair<double, std::string>> levels;
  for (const json::value& level : explain.at("levels").as_array()) {
    levels[text(level.at("level"))] = {level.at("value").to_number<double>(), text(level.at("by"))};
  }
  EXPECT_EQ(levels.at("instance").first, 0.3);
  EXPECT_EQ(levels.at("node"), (std::pair<double, std::string>{3, "r1"}));
  EXPECT_EQ(levels.at("network"), (std::pair<double, std::string>{0, "null"}));
  EXPECT_EQ(explain.at("base"), 1);
  EXPECT_EQ(explain.at("spv"), 4.3);
  EXPECT_EQ(explain.at("aging_ticks"), 30);
  EXPECT_GT(explain.at("saturates_in").to_number<double>(), 800);
  EXPECT_EQ(explain.at("resources").at(0).at("manager"), "db");
  EXPECT_EQ(explain.at("resources").at(0).at("short"), true);
  EXPECT_EQ(json::serialize(explain.at("certain_conflicts")), R"(["r1"])");
  std::string lines;
  for (const json::value& line : explain.at("text").as_array()) lines += text(line) + "\n";
  EXPECT_NE(lines.find("  node           3.0  against job r1\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("needs 1 of db, 0 free of 4: short\n"), std::string::npos) << lines;
  EXPECT_FALSE(submit(R"({"cost":5})").contains("explain")) << "only who asks is told so much";
}

TEST_F(QueueRoutes, ARunningJobReportsWhatItReallyLocks) {
  submit(R"({"id":"r","cost":5,"locks":{"node":"exclusive:n1"}})");
  const json::object job = set("r", R"({"locks":{"node":"shared:n2"}})");
  EXPECT_EQ(status, 200);
  EXPECT_EQ(job.at("locks"), json::object({{"node", "shared:n2"}}));
  EXPECT_EQ(job.at("state"), "running");
}

}  // namespace
}  // namespace sluice::testing

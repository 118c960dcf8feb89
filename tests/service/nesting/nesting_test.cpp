// Commands under a permit that ask for another: real commands against a daemon whose window the
// outer ones fill.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <memory>

#include "base/process_table.h"
#include "in_ci.h"
#include "nesting_fixture.h"
#include "process/cgroup/root.h"
#include "service/jobs/permit_witness.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

TEST_F(Nesting, ARunInARunEndsWhereTheOuterOneFillsTheWindow) {
  EXPECT_EQ(outcome(run(20, run(20, run(20, "echo inner")))), "inner\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, FourPairsThatFillTheWindowAllEnd) {
  // All four hold their five points before the first asks for five more.
  const std::string log = folder.path("log");
  const std::string wait = "until [ `grep -c + " + log + "` -ge 4 ]; do sleep 0.05; done; ";
  std::vector<std::unique_ptr<CommandRunner>> pairs;
  for (int pair = 0; pair < 4; ++pair) {
    pairs.push_back(
        start(run(5, "sh -c 'echo + >>" + log + "; " + wait + run(5, "echo inner") + "'")));
  }
  for (const auto& pair : pairs) EXPECT_EQ(end_of(*pair), "inner\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, ABatchOfTheDaemonInARunEnds) {
  const std::string batch = std::string(SLUICE_COMMAND) + " batch --daemon --socket " +
                            daemon.socket() + " 'echo {}' ::: a b c";
  const std::string said = outcome(run(20, "sh -c \"" + batch + " | sort\""));
  EXPECT_EQ(said, "a\nb\nc\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, ARunInABatchOfTheDaemonEnds) {
  const std::string batch = std::string(SLUICE_COMMAND) + " batch --daemon --socket " +
                            daemon.socket() + " '" + run(20, "echo {}") + "' ::: a b c | sort";
  EXPECT_EQ(outcome(batch), "a\nb\nc\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, AJobserverInAJobserverInARunEnds) {
  const std::string jobserver =
      std::string(SLUICE_COMMAND) + " jobserver --socket " + daemon.socket() + " -- ";
  const std::string makefile = file("all: ; @echo made\n");
  EXPECT_EQ(outcome(run(20, jobserver + jobserver + "make -f " + makefile)), "made\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, RecipesUnderAJobserverMayRunCommandsOfTheirOwn) {
  const std::string makefile =
      file("all: a b c d\na b c d: ; @" + run(20, "sh -c 'sleep 0.3; echo $@'") + "\n");
  const std::string jobserver =
      std::string(SLUICE_COMMAND) + " jobserver --socket " + daemon.socket() + " -- ";
  EXPECT_EQ(outcome("(" + run(20, jobserver + "make -s -f " + makefile) + ") | sort"),
            "a\nb\nc\nd\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, WithoutItsEnvironmentACommandIsKnownByItsProcess) {
  EXPECT_EQ(outcome(run(20, "env -i setsid -w " + run(20, "echo inner"))), "inner\n");
  expect_nothing_is_left();
}

TEST_F(Nesting, ACommandThatLeftItsParentIsKnownByItsToken) {
  const std::string inner = folder.path("inner");
  const std::string forked = "(setsid " + run(20, "touch " + inner) + " &) ; " + "until [ -e " +
                             inner + " ]; do sleep 0.05; done";
  EXPECT_EQ(outcome(run(20, "sh -c '" + forked + "'")), "");
  expect_nothing_is_left();
}

TEST_F(Nesting, ACommandThatLeftItsParentWithoutItsEnvironmentIsKnownByWhoAdoptedIt) {
  const std::string inner = folder.path("inner");
  const std::string forked = "env -i setsid --fork " + run(20, "touch " + inner) + "; until [ -e " +
                             inner + " ]; do sleep 0.05; done";
  EXPECT_EQ(outcome(run(20, "sh -c '" + forked + "'")), "");
  expect_nothing_is_left();
}

/// Jobs of `batch --daemon` share a connection of the batch, so a process does not reveal its job.
class NestingInABatch : public Nesting {
 protected:
  std::string batch(const std::string& script, const std::string& options = "") {
    return std::string(SLUICE_COMMAND) + " batch -q " + options + " --daemon --socket " +
           daemon.socket() + " -f " + file("{\"command\": \"sh " + script + "\", \"cost\": 20}\n");
  }
  std::string script(const std::string& text) const {
    write_file(folder.path("script"), text);
    return folder.path("script");
  }
};

TEST_F(NestingInABatch, WithoutItsEnvironmentACommandIsKnownByThoseAboveIt) {
  EXPECT_EQ(outcome(batch(script("env -i setsid -w " + run(20, "echo inner") + "\n"))), "inner\n");
  expect_nothing_is_left();
}

TEST_F(NestingInABatch, ACommandThatAlsoLeftItsParentIsKnownByTheGroupOfItsJob) {
  if (!CgroupRoot().is_usable()) GTEST_SKIP() << "no groups may be made here";
  const std::string inner = folder.path("inner");
  const std::string forked = script("env -i setsid --fork " + run(20, "touch " + inner) +
                                    "\nuntil [ -e " + inner + " ]; do sleep 0.05; done\n");
  EXPECT_EQ(outcome(batch(forked)), "");
  expect_nothing_is_left();
}

bool has_sudo() { return system("sudo -n true >/dev/null 2>&1") == 0; }

TEST_F(NestingInABatch, ACommandUnderSudoIsKnown) {
  if (!in_ci() && !has_sudo()) GTEST_SKIP() << "no sudo without a password";
  const std::string inner = "sudo -n " + run(20, "env");
  const std::string of_a_run = outcome(run(20, inner));
  EXPECT_NE(of_a_run.find("SUDO_USER="), std::string::npos) << of_a_run;
  const std::string of_a_batch = outcome(batch(script(inner + "\n")));
  EXPECT_NE(of_a_batch.find("SUDO_USER="), std::string::npos) << of_a_batch;
  expect_nothing_is_left();
}

TEST(Permits, OnlyAGroupThatWasMadeForOneJobSaysAnything) {
  EXPECT_EQ(job_group_in("0::/a/sluice.7/job.1\n"), "0::/a/sluice.7/job.1");
  EXPECT_EQ(job_group_in("4:memory:/\n1:freezer:/sluice.7.2/job.12/below\n0::/\n"),
            "1:freezer:/sluice.7.2/job.12");
  EXPECT_EQ(job_group_in("0::/sluice.7/job.1/sluice.9/job.3/x\n"),
            "0::/sluice.7/job.1/sluice.9/job.3");
  for (const char* shared :
       {"", "0::/\n", "0::/sluice.7\n", "0::/sluice.7/self\n", "0::/sluice.x/job.1\n",
        "0::/job.1\n", "0::/sluice.7/a/job.1\n", "0::/user.slice/session-1.scope\n", "nonsense"}) {
    EXPECT_EQ(job_group_in(shared), "") << shared;
  }
}

TEST_F(Nesting, AHundredChildrenRunAsManyAtOnceAsTheWindowHas) {
  const std::string log = folder.path("log");
  const std::string child =
      run(2, "sh -c \"echo + >>" + log + "; sleep 0.1; echo - >>" + log + "\"");
  const std::string script = file("for i in `seq 100`; do " + child + " & done; wait\n");
  EXPECT_EQ(outcome(run(20, "sh " + script)), "");
  const std::string marks = contents_of(log);
  EXPECT_EQ(std::count(marks.begin(), marks.end(), '-'), 100);
  EXPECT_GE(most_at_once(log), 1);
  EXPECT_LE(most_at_once(log), 10);
  expect_nothing_is_left();
}

json::object object_of(const std::optional<http::Response>& response) {
  return json::parse(response.value().body).as_object();
}

TEST(Permits, ATokenIsWorthSomethingToItsUserWhileItsJobRuns) {
  Bench bench;
  Access access;
  access.users = {4001};
  bench.routes->set_access(access);
  const auto submit = [&](const std::string& token, uid_t user) {
    const std::string body = R"({"cost":20,"parent":")" + token + "\"}";
    http::Request request;
    request.method = "POST";
    request.target = "/v1/jobs";
    request.body = body;
    request.connection = http::ConnectionId{9};
    request.peer.pid = 4343;
    request.peer.user = user;
    const json::object job = object_of(bench.ask(request));
    const std::string state(job.at("state").as_string());
    bench.ask("DELETE", "/v1/jobs/" + std::to_string(job.at("number").to_number<std::uint64_t>()));
    return state;
  };
  const json::object job = object_of(bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})"));
  const std::string token(job.at("permit").as_string());
  std::string forged = token;
  forged.back() = forged.back() == '0' ? '1' : '0';
  EXPECT_EQ(submit(token, 0), "running");
  EXPECT_EQ(submit("x", 0), "pending");
  EXPECT_EQ(submit(forged, 0), "pending");
  EXPECT_EQ(submit("1", 0), "pending");
  EXPECT_EQ(submit("1.", 0), "pending");
  EXPECT_EQ(submit(token, 4001), "pending");
  bench.ask("DELETE", "/v1/jobs/a");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  EXPECT_EQ(submit(token, 0), "pending") << "the job of the token is over";
}

TEST(Permits, AChainOfJobsOnOnePermitHasAnEnd) {
  Bench bench;
  std::string token;
  for (std::size_t depth = 0; depth < kMostNested; ++depth) {
    const std::string body = R"({"cost":1,"parent":")" + token + "\"}";
    const json::object job = object_of(bench.ask("POST", "/v1/jobs", body));
    ASSERT_EQ(job.at("state"), "running") << depth;
    token = job.at("permit").as_string();
  }
  const auto refused = bench.ask("POST", "/v1/jobs", R"({"cost":1,"parent":")" + token + "\"}");
  EXPECT_EQ(refused->status, 422) << refused->body;
  EXPECT_EQ(object_of(refused).at("error").at("field"), "parent");
  EXPECT_EQ(object_of(bench.ask("GET", "/v1/status")).at("jobs").at("running"), kMostNested);
}

TEST(Permits, OthersSpeakForAProcessWithTokensOfTheirOwn) {
  Bench bench;
  const auto token_of = [&](const std::string& id) {
    const std::string body = R"({"id":")" + id + R"(","cost":10})";
    return std::string(object_of(bench.ask("POST", "/v1/jobs", body)).at("permit").as_string());
  };
  const std::string first = token_of("a"), second = token_of("b");
  // The parent of a job submitted without a token, by the client's id; empty if there is none.
  const auto parent = [&](const std::string& shown) {
    const auto answer = bench.ask("POST", "/v1/jobs", R"({"cost":1)" + shown + "}");
    const json::object job = object_of(answer);
    bench.ask("DELETE", "/v1/jobs/" + json::serialize(job.at("number")));
    const json::value* found = job.if_contains("parent");
    return found ? std::string(found->as_string()) : "";
  };
  const std::string none = R"(,"parent":"")";
  EXPECT_EQ(parent(none), "");
  bench.beside = {{second, 0}, {first, 0}};
  EXPECT_EQ(parent(none), "a") << "what began later in the same group is a child";
  bench.above = {{"forged", 0}, {second, 0}, {first, 0}};
  EXPECT_EQ(parent(none), "b") << "the nearest";
  EXPECT_EQ(parent(R"(,"parent":")" + first + "\""), "a") << "its own word goes first";
  EXPECT_EQ(parent(""), "") << "who does not ask is not looked for";
  bench.above = bench.beside = {{first, 4001}, {second, 4001}};
  EXPECT_EQ(parent(none), "") << "a token of another user";
  bench.above = bench.beside = {{first, 0}};
  bench.ask("DELETE", "/v1/jobs/a");
  EXPECT_EQ(parent(none), "") << "the job of the token is over";
}

TEST(Permits, TokensAreToldToThoseAloneWhoTendTheJob) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_TRUE(object_of(bench.ask("GET", "/v1/jobs/a")).contains("permit"));
  http::Request request;
  request.method = "GET";
  request.target = "/v1/jobs/a";
  request.peer.transport = http::Transport::tcp;
  request.host = "localhost";
  const auto answer = bench.ask(request);
  EXPECT_EQ(answer.value().body.find("permit"), std::string::npos) << answer->body;
  const auto list = bench.ask("GET", "/v1/jobs");
  EXPECT_EQ(list.value().body.find("permit"), std::string::npos) << list->body;
}

TEST(Permits, TheAncestorsOfAProcessLeadToTheFirst) {
  const std::vector<pid_t> ancestors = ancestors_of(getpid());
  ASSERT_FALSE(ancestors.empty());
  EXPECT_EQ(ancestors.front(), getppid());
}

}  // namespace
}  // namespace sluice::testing

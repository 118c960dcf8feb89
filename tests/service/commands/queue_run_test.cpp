// `sluice run`, `set`, `explain` and `pause --queue` as real commands against a daemon with queues
// and resource managers.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <boost/json/parse.hpp>

#include "command_runner.h"
#include "fixture.h"
#include "has.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

const std::string kQueues =
    "queues: {default: {}, nightly: {resources: [db]}}\n"
    "resources:\n"
    "  db: {kind: quantity, total: 4}\n"
    "  ports: {kind: discrete, items: [p1, p2], jqm_compatible: true}\n"
    "  web-ui: {kind: discrete, items: [w1]}\n"
    "  solo: {kind: highlander}\n";

struct Said {
  int status;
  std::string out;
  std::string err;
};

class QueueRun : public ::testing::Test {
 protected:
  std::vector<std::string> line(const std::string& subcommand, std::vector<std::string> words) {
    std::vector<std::string> all{SLUICE_COMMAND, subcommand, "--socket", daemon.socket()};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  Said call(const std::string& subcommand, std::vector<std::string> words) {
    TemporaryFolder folder;
    CommandRunner command(line(subcommand, std::move(words)), folder.path(""));
    const int status = WEXITSTATUS(command.wait());
    return {status, command.out(), command.err()};
  }
  json::object job(const std::string& id) {
    return json::parse(daemon.ask("GET", "/v1/jobs/" + id).body).as_object();
  }
  void submit(const std::string& body) {
    const ClientReply reply = daemon.ask("POST", "/v1/jobs", body);
    EXPECT_EQ(reply.status, 201) << reply.body;
  }

  RunningDaemon daemon{kSmallWindow + kQueues};
};

TEST_F(QueueRun, TellsTheCommandWhichItemsItHolds) {
  const Said said = call("run", {"--cost", "5", "--resource", "ports=2", "--resource", "web-ui=1",
                                 "--", "/bin/sh", "-c", "env | grep _RM_ | sort"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out,
            "JQM_RM_DISCRETE_PORTS_ITEMS=p1,p2\n"
            "SLUICE_RM_PORTS_ITEMS=p1,p2\n"
            "SLUICE_RM_WEB_UI_ITEMS=w1\n");
}

TEST_F(QueueRun, WithoutItemsThereIsNoVariable) {
  const Said said =
      call("run", {"--cost", "5", "--", "/bin/sh", "-c", "env | grep -c _RM_; exit 0"});
  EXPECT_EQ(said.out, "0\n") << said.err;
}

TEST_F(QueueRun, TheCommandIsAsNiceAsItWasAsked) {
  const int before = getpriority(PRIO_PROCESS, 0);
  const int wanted = before + 3;
  const Said said = call("run", {"--cost", "5", "--nice", std::to_string(wanted), "--", "nice"});
  EXPECT_EQ(said.out, std::to_string(wanted) + "\n") << said.err;
  EXPECT_EQ(said.err, "");
}

TEST_F(QueueRun, DeclaresWhatItWasGiven) {
  submit(R"({"id":"first","cost":20})");
  TemporaryFolder folder;
  CommandRunner command(line("run", {"--cost",        "5",
                                     "--queue",       "nightly",
                                     "--lock",        "node=exclusive:n1",
                                     "--lock",        "node=shared:n2",
                                     "--lock",        "instance=unknown-shared",
                                     "--resource",    "db=2",
                                     "--after",       "first",
                                     "--on-failure",  "run",
                                     "--reason",      "rate-limit:3:x",
                                     "--param",       "i=i1",
                                     "--nice",        "4",
                                     "--global-lock", "--",
                                     "/bin/true"}),
                        folder.path(""));
  ASSERT_TRUE(eventually([&] { return daemon.ask("GET", "/v1/jobs/2").status == 200; }));
  const json::object shown = job("2");
  EXPECT_EQ(shown.at("queue"), "nightly");
  EXPECT_EQ(shown.at("locks"),
            json::object({{"instance", "unknown-shared"}, {"node", "shared:n2 exclusive:n1"}}));
  EXPECT_EQ(shown.at("resources").at("db"), 2);
  EXPECT_EQ(shown.at("after").at(0), "first");
  EXPECT_EQ(shown.at("on_failure"), "run");
  EXPECT_EQ(shown.at("reasons").at(0), "rate-limit:3:x");
  EXPECT_EQ(shown.at("params").at("i"), "i1");
  EXPECT_EQ(shown.at("nice"), 4);
  EXPECT_EQ(shown.at("global_lock"), true);
  daemon.ask("DELETE", "/v1/jobs/first?outcome=failed");
  EXPECT_EQ(command.wait(), 0) << command.err();
}

TEST_F(QueueRun, WhatIsWrongIsSaidInOneLine) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--lock", "node"}, "--lock must be LEVEL=MODE, such as node=exclusive:n1"},
      {{"--lock", "floor=all-shared"}, "floor"},
      {{"--lock", "node=odd"}, "--lock node: the mode must be "},
      {{"--resource", "db"}, "--resource must be MANAGER=N"},
      {{"--resource", "db=-1"}, "resources.db"},
      {{"--resource", "db=5"}, "needs 5 of db, which has 4"},
      {{"--queue", "nightyl"}, "queue"},
      {{"--after", "nobody"}, "nobody"},
      {{"--nice", "20"}, "nice"}};
  for (auto [words, part] : cases) {
    const std::string first = words[0] + " " + words[1];
    words.insert(words.end(), {"--cost", "5", "--", "/bin/echo", "ran"});
    const Said said = call("run", words);
    EXPECT_EQ(said.status, 2) << first;
    EXPECT_EQ(said.out, "") << first;
    EXPECT_TRUE(has(said.err, part)) << first << ": " << said.err;
    EXPECT_EQ(said.err.find('\n'), said.err.size() - 1) << first << ": " << said.err;
  }
}

TEST_F(QueueRun, ACommandWhoseLikeWaitsIsNotRun) {
  submit(R"({"id":"a","key":"k","cost":5,"resources":{"solo":1}})");
  submit(R"({"id":"b","key":"k","cost":5,"resources":{"solo":1}})");
  const Said said =
      call("run", {"--cost", "5", "--key", "k", "--resource", "solo=1", "--", "/bin/echo", "ran"});
  EXPECT_EQ(said.status, 75);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "sluice run: not run: job b already waits and will run instead\n");
}

TEST_F(QueueRun, ACommandIsNotRunWhereTheOneBeforeItFailed) {
  submit(R"({"id":"a","cost":20})");
  TemporaryFolder folder;
  CommandRunner command(line("run", {"--cost", "5", "--after", "a", "--", "/bin/echo", "ran"}),
                        folder.path(""));
  ASSERT_TRUE(eventually([&] { return daemon.ask("GET", "/v1/jobs/2").status == 200; }));
  daemon.ask("DELETE", "/v1/jobs/a?outcome=failed");
  EXPECT_EQ(WEXITSTATUS(command.wait()), 2);
  EXPECT_EQ(command.out(), "");
  EXPECT_TRUE(has(command.err(), "comes after job a")) << command.err();
}

TEST_F(QueueRun, SetChangesAJobAndSaysWhereItIs) {
  for (const char* id : {"full", "a", "b"}) {
    submit("{\"cost\":20,\"id\":\"" + std::string(id) + "\"}");
  }
  const Said said = call("set", {"b", "--priority", "9", "--nice", "2"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out,
            "b: place 1 in queue default, priority 9: needs 20 points, 0 of 20 points are free\n");
  EXPECT_EQ(job("b").at("nice"), 2);
  EXPECT_TRUE(has(call("set", {"b", "--freeze"}).out, "frozen by hand"));
  EXPECT_FALSE(has(call("set", {"b", "--unfreeze"}).out, "frozen"));
  const Said twin = call("set", {"b", "--queue", "nightly", "--position", "front", "--json"});
  EXPECT_EQ(json::parse(twin.out).at("queue"), "nightly");
  EXPECT_EQ(call("set", {"full", "--lock", "node=shared:n1"}).out, "full: running\n");
}

TEST_F(QueueRun, CancelTakesBackAWaitingJobAndLeavesARunningOneAlone) {
  submit(R"({"id":"full","cost":20})");
  submit(R"({"id":"a","cost":20})");
  const Said running = call("cancel", {"full"});
  EXPECT_EQ(running.status, 2);
  EXPECT_TRUE(has(running.err, "the job is running: end its command instead")) << running.err;
  EXPECT_EQ(job("full").at("state"), "running");
  EXPECT_EQ(call("cancel", {"a"}).out, "a: cancelled\n");
  EXPECT_EQ(job("a").at("outcome"), "cancelled");
  daemon.ask("DELETE", "/v1/jobs/full?outcome=ok");
  EXPECT_EQ(call("cancel", {"full"}).out, "full: had ended before (ok)\n");
  EXPECT_EQ(json::parse(call("cancel", {"a", "--json"}).out).at("id"), "a");
  EXPECT_TRUE(has(call("cancel", {"nobody"}).err, "there is no job `nobody`"));
  EXPECT_EQ(daemon.ask("DELETE", "/v1/jobs/a?state=running").status, 400);
}

TEST_F(QueueRun, SetSaysWhatIsWrong) {
  submit(R"({"id":"a","cost":20})");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"a"}, "nothing to change"},
      {{"nobody", "--priority", "1"}, "there is no job `nobody`"},
      {{"a", "--priority", "1"}, "priority"},
      {{"a", "--position", "middle"}, "--position must be"},
      {{"a", "--lock", "floor=none"}, "floor"}};
  for (const auto& [words, part] : cases) {
    const Said said = call("set", words);
    EXPECT_EQ(said.status, 2) << part;
    EXPECT_TRUE(has(said.err, part)) << said.err;
  }
}

TEST_F(QueueRun, ExplainSaysWhyAJobWaits) {
  submit(R"({"id":"a","cost":20,"locks":{"node":"exclusive:n1"}})");
  submit(R"({"id":"b","key":"build","cost":5,"locks":{"node":"exclusive:n1"}})");
  const Said said = call("explain", {"b"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_TRUE(
      said.out.starts_with("job b (build): pending: needs 5 points, 0 of 20 points are free\n"
                           "waits: needs 5 points, 0 of 20 points are free\n"
                           "place 1 in queue default, priority 0, 5 points, has waited "))
      << said.out;
  EXPECT_TRUE(has(said.out, "3.0  against job a\n")) << said.out;
  EXPECT_TRUE(has(said.out, "would certainly block on job a\n")) << said.out;
  EXPECT_TRUE(has(call("explain", {"a"}).out, "job a: running\nhas run for ")) << said.out;
  EXPECT_EQ(json::parse(call("explain", {"b", "--json"}).out).at("explain").at("spv"), 4);
  daemon.ask("DELETE", "/v1/jobs/b");
  EXPECT_EQ(call("explain", {"b"}).out, "job b (build): finished, cancelled, ended by finish\n");
}

TEST_F(QueueRun, ExplainShowsNoControlCharacterOfAKey) {
  submit(R"({"id":"a","cost":20,"key":"k\u009b31m\u202e"})");
  submit(R"({"id":"b","cost":5,"key":"k\u009b31m\u202e"})");
  EXPECT_TRUE(has(call("explain", {"a"}).out, "job a (k\?\?31m\?\?\?): running\n"));
  const std::string waits = call("explain", {"b"}).out;
  EXPECT_TRUE(waits.starts_with("job b (k\?\?31m\?\?\?): pending: ")) << waits;
  EXPECT_FALSE(has(waits, "\u009b")) << waits;
  EXPECT_FALSE(has(waits, "\u202e")) << waits;
}

TEST_F(QueueRun, ExplainOfAnUnknownJobNamesTheCommandThatReadsTheRecord) {
  const Said said = call("explain", {"gone"});
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(
      said.err,
      "sluice explain: there is no job `gone`; `sluice why gone` knows jobs that have gone\n");
}

TEST_F(QueueRun, AQueueIsPausedAloneAndTheStatusShowsIt) {
  EXPECT_EQ(call("pause", {"--queue", "nightly"}).out,
            "queue nightly is paused: 0 running, 0 pending\n");
  const Said status = call("status", {});
  EXPECT_TRUE(has(status.out, "queues\n  default  open    ")) << status.out;
  EXPECT_TRUE(has(status.out, "\n  nightly  paused  ")) << status.out;
  EXPECT_TRUE(has(status.out, "resources\n  db ")) << status.out;
  EXPECT_EQ(json::parse(call("resume", {"--queue", "nightly", "--json"}).out).at("paused"), false);
  const Said wrong = call("pause", {"--queue", "nightyl"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(has(wrong.err, "did you mean `nightly`?")) << wrong.err;
}

}  // namespace
}  // namespace sluice::testing

// A real daemon that is killed with SIGKILL and restarted.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/json/parse.hpp>
#include <deque>
#include <fstream>
#include <thread>

#include "base/sqlite/sqlite.h"
#include "command_runner.h"
#include "fixture.h"
#include "repetitions.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

/// A child that waits for a signal; the destructor kills and reaps it.
class Sleeper {
 public:
  Sleeper() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~Sleeper() { end(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_;
};

class RestartTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);  // Clients write to a killed daemon.
    write_file(config_, kSmallWindow + ("state_dir: " + folder_.path("state")) + "\n");
    start();
  }

  void start() {
    daemon_ = std::make_unique<CommandRunner>(
        std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", config_, "--socket", socket_,
                                 "--listen", "off"},
        folder_.path(""));
    ASSERT_TRUE(eventually([&] { return ask("GET", "/v1/status").status == 200; })) << log();
  }
  void end(int signal) {
    kill(daemon_->pid(), signal);
    daemon_->wait();
  }
  void restart(int signal = SIGKILL) {
    end(signal);
    start();
  }

  ClientReply ask(const std::string& method, const std::string& target,
                  const std::string& body = {}) const {
    auto client = Client::connect(socket_);
    if (auto* problem = std::get_if<std::string>(&client)) return {0, *problem};
    auto reply = std::get<Client>(client).call(method, target, body);
    if (auto* problem = std::get_if<std::string>(&reply)) return {0, *problem};
    return std::get<ClientReply>(reply);
  }
  json::object get(const std::string& target) const {
    return json::parse(ask("GET", target).body).as_object();
  }
  std::string state_of(const std::string& job) const {
    const ClientReply reply = ask("GET", "/v1/jobs/" + job);
    if (reply.status != 200) return std::to_string(reply.status);
    return std::string(json::parse(reply.body).as_object().at("state").as_string());
  }
  std::int64_t usage() const { return get("/v1/status").at("window").at("usage").as_int64(); }
  json::object kept() const { return get("/v1/status").at("state").as_object(); }
  std::string log() const { return daemon_->err(); }
  std::string database() const { return folder_.path("state/jobs.db"); }
  void submit(const std::string& body) const {
    const ClientReply reply = ask("POST", "/v1/jobs", body);
    EXPECT_EQ(reply.status, 201) << reply.body;
  }

  TemporaryFolder folder_;
  const std::string config_ = folder_.path("sluice.yaml");
  const std::string socket_ = folder_.path("sluice.sock");
  std::unique_ptr<CommandRunner> daemon_;
};

TEST_F(RestartTest, AfterKill9WhatRunsIsAdoptedWhatIsGoneReleasedAndWhatWaitsWaitsOn) {
  Sleeper lives, dies;
  submit(R"({"id":"a","cost":8,"pid":)" + lives.pid() + "}");
  submit(R"({"id":"b","cost":12,"pid":)" + dies.pid() + "}");
  submit(R"({"id":"c","cost":20})");
  submit(R"({"id":"d","cost":1})");
  end(SIGKILL);
  dies.end();
  start();
  EXPECT_EQ(kept().at("adopted"), 1) << log();
  EXPECT_EQ(kept().at("released"), 1);
  EXPECT_EQ(kept().at("restored"), 2);
  EXPECT_EQ(usage(), 8);
  EXPECT_EQ(state_of("b"), "finished");
  EXPECT_EQ(state_of("c"), "pending");
  const ClientReply again = ask("POST", "/v1/jobs", R"({"id":"d","cost":1})");
  EXPECT_EQ(again.status, 200) << again.body;
  lives.end();
  EXPECT_TRUE(eventually([&] { return state_of("c") == "running"; }));
  EXPECT_EQ(state_of("d"), "pending");
  EXPECT_NE(log().find("job b (running): its process"), std::string::npos) << log();
}

TEST_F(RestartTest, ARecycledProcessNumberIsNotAdopted) {
  Sleeper process;
  submit(R"({"id":"a","cost":8,"pid":)" + process.pid() + "}");
  end(SIGKILL);
  SqliteDatabase(database(), 1000).run("UPDATE job SET pid_started = pid_started - 1");
  start();
  EXPECT_EQ(usage(), 0);
  EXPECT_EQ(state_of("a"), "finished");
}

TEST_F(RestartTest, AfterARebootNothingRuns) {
  Sleeper process;
  submit(R"({"id":"a","cost":20,"pid":)" + process.pid() + "}");
  submit(R"({"id":"b","cost":20})");
  end(SIGKILL);
  SqliteDatabase(database(), 1000).run("UPDATE meta SET value = 'before' WHERE name = 'boot'");
  start();
  EXPECT_EQ(state_of("a"), "finished");
  EXPECT_TRUE(eventually([&] { return state_of("b") == "running"; }));
}

TEST_F(RestartTest, AStopInGoodOrderKeepsJobsToo) {
  Sleeper process;
  submit(R"({"id":"a","cost":20,"pid":)" + process.pid() + "}");
  submit(R"({"id":"b","cost":20})");
  restart(SIGTERM);
  EXPECT_EQ(state_of("a"), "running");
  EXPECT_EQ(state_of("b"), "pending");
}

TEST_F(RestartTest, ATornFileIsSaidAndTheDaemonServes) {
  submit(R"({"id":"a","cost":20})");
  end(SIGTERM);
  std::fstream(database(), std::ios::in | std::ios::out).write("this is no database", 19);
  start();
  EXPECT_EQ(state_of("a"), "404");
  EXPECT_NE(log().find("is broken"), std::string::npos) << log();
  submit(R"({"id":"a","cost":20})");
  EXPECT_TRUE(kept().at("failing").is_null());
}

TEST_F(RestartTest, TheStateOfALaterVersionIsRefused) {
  end(SIGTERM);
  SqliteDatabase(database(), 1000).run("PRAGMA user_version = 2");
  CommandRunner daemon(
      {SLUICE_COMMAND, "serve", "--config", config_, "--socket", socket_, "--listen", "off"},
      folder_.path(""));
  EXPECT_EQ(WEXITSTATUS(daemon.wait()), 2);
  EXPECT_NE(daemon.err().find("newer version"), std::string::npos) << daemon.err();
}

/// `sluice run` of a shell script.
std::vector<std::string> run_line(const std::string& socket, const std::string& cost,
                                  const std::string& script) {
  return {SLUICE_COMMAND, "run", "-v",      "--socket", socket, "--cost",
          cost,           "--",  "/bin/sh", "-c",       script};
}

TEST_F(RestartTest, ARunThatWaitsIsAdmittedByTheNextDaemon) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    Sleeper process;
    submit(R"({"id":"full","cost":20,"pid":)" + process.pid() + "}");
    CommandRunner command(run_line(socket_, "1", "echo ran"), folder_.path(""));
    ASSERT_TRUE(eventually([&] { return get("/v1/jobs").at("pending") == 1; }));
    end(signal);
    start();
    EXPECT_EQ(get("/v1/jobs").at("pending"), 1);
    process.end();
    EXPECT_EQ(command.wait(), 0) << command.err();
    EXPECT_EQ(command.out(), "ran\n");
    EXPECT_TRUE(eventually([&] { return usage() == 0; }));
    EXPECT_EQ(get("/v1/jobs").at("pending"), 0);
  }
}

TEST_F(RestartTest, ARunThatWaitsIsSubmittedAgainWhereNothingWasKept) {
  end(SIGTERM);
  write_file(config_, kSmallWindow);
  start();
  Sleeper process;
  submit(R"({"id":"full","cost":20,"pid":)" + process.pid() + "}");
  CommandRunner command(run_line(socket_, "1", "echo ran"), folder_.path(""));
  ASSERT_TRUE(eventually([&] { return get("/v1/jobs").at("pending") == 1; }));
  restart();
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_EQ(command.out(), "ran\n");
  EXPECT_TRUE(eventually([&] { return usage() == 0; }));
}

TEST_F(RestartTest, ARunTellsTheNextDaemonHowItEnded) {
  const std::string go = folder_.path("go");
  CommandRunner command(
      run_line(socket_, "3", "while [ ! -e " + go + " ]; do sleep 0.02; done; exit 7"),
      folder_.path(""));
  ASSERT_TRUE(eventually([&] { return usage() == 3; }));
  submit(R"({"id":"next","after":["1"],"on_failure":"cancel"})");
  restart();
  EXPECT_EQ(usage(), 3);
  write_file(go, "");
  EXPECT_EQ(WEXITSTATUS(command.wait()), 7) << command.err();
  EXPECT_TRUE(eventually([&] { return state_of("next") == "finished"; }));
  const json::object counted = get("/v1/status").at("counters").as_object();
  EXPECT_EQ(counted.at("finished").at("failed"), 1);
  EXPECT_EQ(counted.at("leases_ended").at("finish"), 1);
}

TEST_F(RestartTest, WhoWaitsForADrainHasTheNextDaemonDrainAsWell) {
  const Sleeper process;
  submit(R"({"id":"a","cost":8,"pid":)" + process.pid() + "}");
  CommandRunner command({SLUICE_COMMAND, "drain", "--wait", "--socket", socket_}, folder_.path(""));
  ASSERT_TRUE(eventually([&] { return get("/v1/status").at("draining").as_bool(); }));
  restart();
  EXPECT_TRUE(eventually([&] { return get("/v1/status").at("draining").as_bool(); })) << log();
  EXPECT_EQ(usage(), 8);
  ask("DELETE", "/v1/jobs/a");
  EXPECT_EQ(WEXITSTATUS(command.wait()), 0) << command.err();
}

TEST_F(RestartTest, ARunThatEndedWhileNoDaemonWasThereIsNoSuccess) {
  CommandRunner command(run_line(socket_, "3", "while :; do sleep 0.02; done"), folder_.path(""));
  ASSERT_TRUE(eventually([&] { return usage() == 3; }));
  submit(R"({"id":"next","after":["1"],"on_failure":"cancel"})");
  end(SIGKILL);
  kill(command.pid(), SIGKILL);
  command.wait();
  start();
  EXPECT_EQ(state_of("1"), "finished");
  EXPECT_EQ(get("/v1/jobs/1").at("outcome"), "cancelled");
  EXPECT_TRUE(eventually([&] { return state_of("next") == "finished"; }));
  EXPECT_EQ(get("/v1/jobs/next").at("outcome"), "cancelled");
}

TEST_F(RestartTest, AJobserverThatWasSubmittedGetsItsFifoFromTheNextDaemon) {
  const std::string body = R"({"id":"js","key":"k","program":"make","max":4,"heartbeat":"60s"})";
  ASSERT_EQ(ask("POST", "/v1/jobservers", body).status, 201);
  restart();
  const ClientReply again = ask("POST", "/v1/jobservers", body);
  ASSERT_EQ(again.status, 200) << again.body;
  EXPECT_TRUE(json::parse(again.body).at("path").is_string()) << again.body;
  EXPECT_EQ(ask("DELETE", "/v1/jobservers/js").status, 200);
  EXPECT_EQ(usage(), 0);
}

/// The replies to one client.
struct Told {
  std::vector<std::string> submitted, ended;
};

/// Submits and ends jobs until the daemon has gone.
void keep_busy(const std::string& socket, const std::string& name, Told& told,
               std::atomic<int>& answers) {
  auto connected = Client::connect(socket);
  if (!std::holds_alternative<Client>(connected)) return;
  Client& client = std::get<Client>(connected);
  for (int n = 0;; ++n) {
    const std::string id = name + "-" + std::to_string(n);
    const auto reply =
        client.call("POST", "/v1/jobs", R"({"cost":3,"heartbeat":"60s","id":")" + id + "\"}");
    const auto* submitted = std::get_if<ClientReply>(&reply);
    if (!submitted || submitted->status != 201) return;
    told.submitted.push_back(id);
    ++answers;
    if (n % 3 == 0) continue;  // Some jobs stay.
    const auto end = client.call("DELETE", "/v1/jobs/" + id);
    if (!std::holds_alternative<ClientReply>(end)) {
      told.submitted.pop_back();  // Whether it was ended is unknown.
      return;
    }
    told.submitted.pop_back();
    told.ended.push_back(id);
  }
}

TEST_F(RestartTest, UnderLoadEveryAnsweredSubmitIsThereAndTheSumsAgree) {
  for (int round = 0; round < 3; ++round) {
    std::array<Told, 4> told;
    std::atomic<int> answers{0};
    std::vector<std::thread> clients;
    for (std::size_t at = 0; at < told.size(); ++at) {
      clients.emplace_back([&, at] {
        const std::string name = "r" + std::to_string(round) + "c" + std::to_string(at);
        keep_busy(socket_, name, told[at], answers);
      });
    }
    EXPECT_TRUE(eventually([&] { return answers >= 150; }));
    end(SIGKILL);
    for (std::thread& client : clients) client.join();
    start();
    for (const Told& each : told) {
      for (const std::string& id : each.submitted) {
        const std::string state = state_of(id);
        EXPECT_TRUE(state == "running" || state == "pending") << id << " is " << state;
      }
      for (const std::string& id : each.ended) EXPECT_EQ(state_of(id), "404") << id;
    }
    std::int64_t running = 0;
    const json::object listed = get("/v1/jobs?state=running");
    for (const json::value& job : listed.at("jobs").as_array()) {
      running += job.at("cost").as_int64();
    }
    EXPECT_EQ(running, usage());
    EXPECT_LE(running, 20);
  }
}

/// Daemons that start on the same socket.
class Starters {
 public:
  Starters() { write_file(folder_.path("config"), kSmallWindow); }

  std::unique_ptr<CommandRunner> start() {
    return std::make_unique<CommandRunner>(
        std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", folder_.path("config"),
                                 "--socket", socket_, "--listen", "off"},
        outputs_.emplace_back().path(""));
  }
  bool answers() const {
    auto client = Client::connect(socket_);
    return std::holds_alternative<Client>(client) &&
           std::holds_alternative<ClientReply>(std::get<Client>(client).call("GET", "/livez"));
  }

 private:
  TemporaryFolder folder_;
  const std::string socket_ = folder_.path("s");
  std::deque<TemporaryFolder> outputs_;
};

TEST(Starting, AfterAKillAtAnyInstantOneOfTwoServesAndTheOtherSaysSo) {
  constexpr int kRounds = repetitions(50);
  Starters starters;
  for (int round = 0; round < kRounds; ++round) {
    {
      const auto killed = starters.start();
      std::this_thread::sleep_for(std::chrono::milliseconds(round * 37 % 80));
      kill(killed->pid(), SIGKILL);
      killed->wait();
    }
    const auto one = starters.start(), other = starters.start();
    ASSERT_TRUE(eventually([&] { return gone(one->pid()) || gone(other->pid()); }));
    CommandRunner& second = gone(one->pid()) ? *one : *other;
    CommandRunner& first = &second == one.get() ? *other : *one;
    EXPECT_EQ(WEXITSTATUS(second.wait()), 2);
    const std::string said = "is already served by process " + std::to_string(first.pid());
    EXPECT_NE(second.err().find(said), std::string::npos) << second.err();
    ASSERT_TRUE(eventually([&] { return starters.answers(); })) << first.err();
    kill(first.pid(), SIGKILL);
    first.wait();
  }
}

}  // namespace
}  // namespace sluice::testing

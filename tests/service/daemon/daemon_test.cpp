// The daemon over its sockets, with real processes at the other end.
#include "service/daemon/daemon.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "fixture.h"
#include "has.h"
#include "raw_socket.h"

namespace sluice::testing {
namespace {

bool ended_by(const RunningDaemon& daemon, const char* job, const char* cause) {
  return eventually([&] {
    return has(daemon.ask("GET", std::string("/v1/jobs/") + job).body,
               std::string("\"ended_by\":\"") + cause + "\"");
  });
}

/// A child that sleeps until killed.
pid_t sleeper() {
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  return child;
}

void kill_and_reap(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Daemon, AJobEndsWithTheProcessItNames) {
  RunningDaemon daemon;
  const pid_t child = sleeper();
  const auto submitted = daemon.ask(
      "POST", "/v1/jobs", "{\"id\":\"a\",\"cost\":5,\"pid\":" + std::to_string(child) + "}");
  EXPECT_EQ(submitted.status, 201);
  EXPECT_TRUE(has(submitted.body, "\"state\":\"running\"")) << submitted.body;
  kill_and_reap(child);
  EXPECT_TRUE(ended_by(daemon, "a", "process"));
  EXPECT_TRUE(has(daemon.ask("GET", "/v1/status").body, "\"usage\":0"));
}

TEST(Daemon, AProcessThatIsNotThereIsA400) {
  RunningDaemon daemon;
  const pid_t child = sleeper();
  kill_and_reap(child);
  const auto reply = daemon.ask("POST", "/v1/jobs", "{\"pid\":" + std::to_string(child) + "}");
  EXPECT_EQ(reply.status, 400);
  EXPECT_TRUE(has(reply.body, "there is no process")) << reply.body;
}

TEST(Daemon, AJobEndsWithTheKilledClientThatHeldIt) {
  RunningDaemon daemon;
  RawSocket held(daemon.socket());
  const std::string body = R"({"id":"a","cost":20,"hold":"connection"})";
  const pid_t child = fork();
  if (child == 0) {
    held.say("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
             "\r\n\r\n" + body);
    while (true) pause();
  }
  { const RawSocket mine(std::move(held)); }
  ASSERT_TRUE(eventually([&] { return daemon.ask("GET", "/v1/jobs/a").status == 200; }));
  kill_and_reap(child);
  EXPECT_TRUE(ended_by(daemon, "a", "connection"));
}

TEST(Daemon, ThePeerIsWhoOpenedTheConnection) {
  RunningDaemon daemon;
  const auto reply = daemon.ask("POST", "/v1/jobs", R"({"pid":"peer"})");
  EXPECT_TRUE(has(reply.body, "\"pid\":" + std::to_string(getpid()))) << reply.body;
}

TEST(Daemon, AnAnswerIsHeldBackUntilAdmission) {
  RunningDaemon daemon;
  daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  Client waiter = daemon.client();
  ASSERT_FALSE(waiter.send("POST", "/v1/jobs?wait=5min", R"({"id":"b","cost":20})"));
  ASSERT_TRUE(eventually([&] { return daemon.ask("GET", "/v1/jobs/b").status == 200; }));
  daemon.ask("DELETE", "/v1/jobs/a");
  std::optional<std::variant<ClientReply, std::string>> reply;
  while (!reply) reply = waiter.receive();
  ASSERT_TRUE(std::holds_alternative<ClientReply>(*reply));
  EXPECT_EQ(std::get<ClientReply>(*reply).status, 201);
  EXPECT_TRUE(has(std::get<ClientReply>(*reply).body, "\"state\":\"running\""));
}

TEST(Daemon, AShortWaitEndsInTime) {
  RunningDaemon daemon;
  daemon.ask("POST", "/v1/jobs", R"({"cost":20})");
  const auto start = Clock::now();
  const auto reply = daemon.ask("POST", "/v1/jobs?wait=50ms", R"({"cost":20})");
  EXPECT_TRUE(has(reply.body, "\"state\":\"pending\""));
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

TEST(Daemon, ALeaseEndsAtItsDeadline) {
  RunningDaemon daemon;
  daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"heartbeat":"1s"})");
  EXPECT_TRUE(ended_by(daemon, "a", "deadline"));
}

TEST(Daemon, ASecondOneSaysWhoHoldsTheSocket) {
  RunningDaemon daemon;
  ServeOptions options;
  options.socket = daemon.socket();
  options.listen = "";
  try {
    Daemon second(options, [](LogLevel, std::string_view) {});
    FAIL() << "it started";
  } catch (const CannotServe& problem) {
    EXPECT_TRUE(has(problem.what(), "process " + std::to_string(getpid()))) << problem.what();
  }
  EXPECT_EQ(daemon.ask("GET", "/livez").status, 200) << "the first one goes on";
}

TEST(Daemon, APortInUseIsSaidInOneLine) {
  RunningDaemon daemon;
  ServeOptions options;
  options.socket = daemon.folder.path("second.sock");
  options.listen = daemon.listen();
  try {
    Daemon second(options, [](LogLevel, std::string_view line) {
      ADD_FAILURE() << "said besides: " << line;
    });
    FAIL() << "it started";
  } catch (const CannotServe& problem) {
    EXPECT_TRUE(has(problem.what(), "Address already in use")) << problem.what();
  }
  EXPECT_FALSE(std::filesystem::exists(daemon.folder.path("second.sock")));
}

TEST(Daemon, StopsInGoodOrder) {
  RunningDaemon daemon;
  daemon.ask("POST", "/v1/jobs", R"({"cost":20})");
  Client waiter = daemon.client();
  ASSERT_FALSE(waiter.send("POST", "/v1/jobs?wait=5min", R"({"id":"b","cost":20})"));
  ASSERT_TRUE(eventually([&] { return daemon.ask("GET", "/v1/jobs/b").status == 200; }));
  const std::string socket = daemon.socket();
  daemon.stop();
  std::optional<std::variant<ClientReply, std::string>> reply;
  while (!reply) reply = waiter.receive();
  ASSERT_TRUE(std::holds_alternative<ClientReply>(*reply)) << std::get<std::string>(*reply);
  EXPECT_EQ(std::get<ClientReply>(*reply).status, 503);
  EXPECT_TRUE(has(daemon.log(), "deregistered: ")) << daemon.log();
}

TEST(Daemon, LogsItsLife) {
  RunningDaemon daemon;
  EXPECT_TRUE(eventually([&] { return has(daemon.log(), "registered: takes work"); }));
  EXPECT_TRUE(eventually([&] { return has(daemon.log(), "serves on " + daemon.socket()); }));
  daemon.ask("POST", "/v1/pause");
  EXPECT_TRUE(eventually([&] { return has(daemon.log(), "deregistered: "); }));
}

}  // namespace
}  // namespace sluice::testing

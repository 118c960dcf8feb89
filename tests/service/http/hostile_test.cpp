// Bad, slow and many clients: each gets a clear reply, and others are unaffected.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <vector>

#include "fixture.h"
#include "raw_socket.h"

namespace sluice::http {
namespace {
using namespace sluice::testing;
using namespace std::chrono_literals;

constexpr const char* kLive = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";

Limits impatient() {
  Limits limits;
  limits.request = limits.write = limits.idle_unix = limits.idle_tcp = 50ms;
  return limits;
}

struct Bad {
  std::string text;
  const char* answer;
};

class HostileText : public ::testing::TestWithParam<Bad> {};

TEST_P(HostileText, IsAnsweredAndTheConnectionClosed) {
  RunningDaemon daemon;
  RawSocket socket(daemon.socket());
  socket.say(GetParam().text);
  EXPECT_TRUE(socket.hear().starts_with(std::string("HTTP/1.1 ") + GetParam().answer));
  EXPECT_EQ(daemon.ask("GET", "/livez").status, 200);
}

INSTANTIATE_TEST_SUITE_P(
    Table, HostileText,
    ::testing::Values(Bad{"\x16\x03\x01 not http\r\n\r\n", "400"},
                      Bad{"GET / HTTP/1.1\r\n\r\n", "400"},
                      Bad{"GET / HTTP/3.0\r\nHost: x\r\n\r\n", "505"},
                      Bad{"GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(20000, 'x'), "431"},
                      Bad{"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1100000\r\n\r\n" +
                              std::string(70000, ' '),
                          "413"},
                      Bad{"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "1;" +
                              std::string(20000, 'x'),
                          "431"},
                      Bad{"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "0\r\nX: " +
                              std::string(20000, 'x'),
                          "431"}));

TEST(Hostile, ABodyUpToItsLimitIsTaken) {
  RunningDaemon daemon;
  std::string body(1024 * 1024 - 2, ' ');
  body += "{}";
  EXPECT_EQ(daemon.ask("POST", "/v1/jobs", body).status, 201);
}

TEST(Hostile, AHundredThousandLockNamesAreRefusedNamingTheLevel) {
  RunningDaemon daemon;
  std::string names = "n0";
  for (int n = 1; n < 100'000; ++n) names += ",n" + std::to_string(n);
  const auto reply =
      daemon.ask("POST", "/v1/jobs", R"({"locks":{"node":"exclusive:)" + names + "\"}}");
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find(R"("field":"locks.node")"), std::string::npos) << reply.body;
  EXPECT_LT(reply.body.size(), 1000u) << "an error does not repeat what was sent";
  EXPECT_EQ(daemon.ask("GET", "/livez").status, 200);
}

TEST(Hostile, PipelinedRequestsAreAnsweredInOrder) {
  RunningDaemon daemon;
  RawSocket socket(daemon.socket());
  std::string text;
  for (int n = 0; n < 100; ++n) text += kLive;
  socket.say(text + "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string heard = socket.hear();
  std::size_t answers = 0;
  for (std::size_t at = 0; (at = heard.find("HTTP/1.1 200", at)) != std::string::npos; ++at) {
    ++answers;
  }
  EXPECT_EQ(answers, 100u);
  EXPECT_GT(heard.find("HTTP/1.1 404"), heard.rfind("HTTP/1.1 200"));
}

TEST(Hostile, HeadHasNoBody) {
  RunningDaemon daemon;
  RawSocket socket(daemon.socket());
  socket.say("HEAD /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string heard = socket.hear();
  EXPECT_NE(heard.find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_TRUE(heard.ends_with("\r\n\r\n"));
}

TEST(Hostile, WhoExpectsToBeToldToContinueIsTold) {
  RunningDaemon daemon;
  RawSocket socket(daemon.socket());
  socket.say(
      "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(socket.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  socket.say("{}");
  EXPECT_TRUE(socket.hear("\r\n\r\n").starts_with("HTTP/1.1 201"));
}

TEST(Hostile, ASlowClientIsCutWhileOthersAreServed) {
  RunningDaemon daemon("", impatient());
  RawSocket slow(daemon.socket());
  slow.say("GET /livez HT");
  RawSocket silent(daemon.socket());
  for (int n = 0; n < 50; ++n) EXPECT_EQ(daemon.ask("GET", "/livez").status, 200);
  EXPECT_TRUE(slow.hear().starts_with("HTTP/1.1 408"));
  EXPECT_EQ(silent.hear(), "");
}

TEST(Hostile, AReaderThatDoesNotReadIsCutWhileOthersAreServed) {
  RunningDaemon daemon("", impatient());
  RawSocket stuck(daemon.socket());
  std::string text;
  for (int n = 0; n < 300; ++n) text += "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n";
  // More replies than the socket holds; the server stops reading, so this must not block.
  send(stuck.descriptor(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  for (int n = 0; n < 50; ++n) EXPECT_EQ(daemon.ask("GET", "/livez").status, 200);
  EXPECT_TRUE(eventually([&] {
    return daemon.ask("GET", "/metrics").body.find("sluice_client_connections 1\n") !=
           std::string::npos;
  }));
}

TEST(Hostile, AQuietConnectionThatHoldsALeaseStays) {
  RunningDaemon daemon("", impatient());
  Client holder = daemon.client();
  holder.call("POST", "/v1/jobs", R"({"id":"a","cost":5,"hold":"connection"})");
  // The tick that cuts this connection off has examined the holder, too.
  RawSocket silent(daemon.socket());
  EXPECT_EQ(silent.hear(), "");
  EXPECT_NE(daemon.ask("GET", "/v1/jobs/a").body.find("\"running\""), std::string::npos);
}

TEST(Hostile, TcpClientsDoNotLockOutTheUnixSocket) {
  RunningDaemon daemon;
  std::vector<int> crowd;
  for (int n = 0; n < 300; ++n) {
    crowd.push_back(connect_tcp(daemon.listen()));
    send(crowd.back(), "GET /livez HTT", 14, MSG_NOSIGNAL);
  }
  EXPECT_EQ(daemon.ask("GET", "/livez").status, 200);
  EXPECT_TRUE(eventually([&] {
    return daemon.ask("GET", "/metrics").body.find("sluice_client_connections 257\n") !=
           std::string::npos;
  }));
  for (const int descriptor : crowd) close(descriptor);
}

/// The start of the reply to a TCP client.
std::string get_over_tcp(const std::string& place, const std::string& target) {
  const int descriptor = connect_tcp(place);
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
  char answer[64] = "";
  recv(descriptor, answer, sizeof answer - 1, MSG_WAITALL);
  close(descriptor);
  return answer;
}

TEST(Hostile, ReadersThatDoNotReadCannotFillTheMemory) {
  Limits limits;
  limits.unsent_bytes = 1;
  RunningDaemon daemon("", limits);
  const std::string reason(1000, 'r');
  for (int job = 0; job < 100; ++job) {
    daemon.ask("POST", "/v1/jobs", R"({"cost":20,"reasons":[")" + reason + "\"]}");
  }
  const int stuck = connect_tcp(daemon.listen());
  std::string text;
  for (int n = 0; n < 300; ++n) text += "GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n";
  send(stuck, text.data(), text.size(), MSG_NOSIGNAL);
  const auto lists = [&](const std::string& code) {
    return get_over_tcp(daemon.listen(), "/v1/jobs").starts_with("HTTP/1.1 " + code);
  };
  EXPECT_TRUE(eventually([&] { return lists("503"); }));
  EXPECT_TRUE(get_over_tcp(daemon.listen(), "/livez").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(daemon.ask("GET", "/v1/jobs").status, 200) << "the Unix socket is counted apart";
  close(stuck);
  EXPECT_TRUE(eventually([&] { return lists("200"); }));
}

TEST(Hostile, AThousandConnectionsAreServedAndOneMoreIsTurnedAway) {
  RunningDaemon daemon;
  std::vector<RawSocket> sockets;
  for (int n = 0; n < 1024; ++n) sockets.emplace_back(daemon.socket());
  for (const RawSocket& socket : sockets) socket.say(kLive);
  for (const RawSocket& socket : sockets) {
    ASSERT_TRUE(socket.hear("ok\n").starts_with("HTTP/1.1 200"));
  }
  RawSocket more(daemon.socket());
  EXPECT_TRUE(more.hear().starts_with("HTTP/1.1 503"));
  sockets.pop_back();
  EXPECT_TRUE(eventually([&] { return daemon.ask("GET", "/livez").status == 200; }));
}

TEST(Hostile, AnyBytesLeaveItServing) {
  RunningDaemon daemon;
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    RawSocket socket(daemon.socket());
    std::string text = round % 2 ? kLive : "";
    for (int n = 0; n < 300; ++n) text += static_cast<char>(random());
    socket.say(text);
    if (round % 3 == 0) shutdown(socket.descriptor(), SHUT_WR);
  }
  EXPECT_EQ(daemon.ask("GET", "/livez").status, 200);
}

}  // namespace
}  // namespace sluice::http

#include "client/client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"
#include "service/http/socket_claim.h"

namespace sluice::testing {
namespace {

TEST(TakeReply, WaitsUntilItIsWhole) {
  const std::string whole =
      "HTTP/1.1 201 Created\r\nX: y\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 2";
  for (std::size_t size = 0; size < whole.find("HTTP/1.1 2", 5); ++size) {
    std::string in = whole.substr(0, size);
    EXPECT_FALSE(take_reply(in)) << size;
  }
  std::string in = whole;
  const auto reply = take_reply(in);
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<ClientReply>(*reply).status, 201);
  EXPECT_EQ(std::get<ClientReply>(*reply).body, "abc");
  EXPECT_EQ(in, "HTTP/1.1 2");
}

TEST(TakeReply, RefusesWhatIsNoReply) {
  for (std::string in :
       {std::string("SSH-2.0\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\n\r\n"),
        std::string("HTTP/1.1 x\r\nContent-Length: 1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), std::string(20000, 'x')}) {
    const auto reply = take_reply(in);
    ASSERT_TRUE(reply);
    EXPECT_TRUE(std::holds_alternative<std::string>(*reply)) << in.substr(0, 40);
  }
}

TEST(Client, SaysWhereItLookedWhenThereIsNoDaemon) {
  TemporaryFolder folder;
  const auto connected = Client::connect(folder.path("none"));
  ASSERT_TRUE(std::holds_alternative<std::string>(connected));
  const std::string& problem = std::get<std::string>(connected);
  EXPECT_NE(problem.find(folder.path("none")), std::string::npos);
  EXPECT_NE(problem.find("`sluice serve`"), std::string::npos);
}

TEST(Client, AsksAgainAndAgainOnOneConnection) {
  RunningDaemon daemon;
  Client client = daemon.client();
  for (int round = 0; round < 3; ++round) {
    const auto result = client.call("GET", "/livez");
    ASSERT_TRUE(std::holds_alternative<ClientReply>(result));
    EXPECT_EQ(std::get<ClientReply>(result).body, "ok\n");
  }
  daemon.stop();
  EXPECT_TRUE(std::holds_alternative<std::string>(client.call("GET", "/livez")));
}

TEST(Client, TakesALateAnswerForNoOtherRequest) {
  TemporaryFolder folder;
  auto claim = SocketClaim::acquire(folder.path("s"), SocketClaim::Folder::given, getegid());
  const int listening = std::get<SocketClaim>(claim).take_descriptor();
  auto connected = Client::connect(folder.path("s"));
  Client& client = std::get<Client>(connected);
  const int daemon = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  ASSERT_GE(daemon, 0);
  ASSERT_EQ(client.send("GET", "/v1/jobs?limit=10000"), std::nullopt);
  // The client no longer waits for this reply.
  const std::string late = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate";
  ASSERT_EQ(::send(daemon, late.data(), late.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(late.size()));
  const auto answer = client.call("POST", "/v1/jobs", "{}");
  EXPECT_TRUE(std::holds_alternative<std::string>(answer));
  char byte = 0;
  while (recv(daemon, &byte, 1, 0) > 0) continue;  // Up to the end: the connection is closed.
  EXPECT_EQ(client.reconnect(), std::nullopt);
  EXPECT_EQ(client.send("GET", "/livez"), std::nullopt);
  close(daemon);
  close(listening);
}

}  // namespace
}  // namespace sluice::testing

#include "client/client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "client/socket_group.h"
#include "few_descriptors.h"
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

TEST(Client, ALackOfDescriptorsIsNamedWithTheLimitAndIsNoLackOfADaemon) {
  TemporaryFolder folder;
  const std::string place = folder.path("socket");
  const std::variant<Client, NotReached> reached = [&] {
    const FewDescriptors few(3);
    return Client::reach(place);
  }();
  const auto* why = std::get_if<NotReached>(&reached);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->lack, EMFILE);
  EXPECT_FALSE(why->is_gone);
  EXPECT_EQ(why->message, "cannot connect to the sluice daemon at " + place +
                              ": too many open files, of which this process may have 3: raise that "
                              "limit (ulimit -n)");
}

TEST(SocketGroup, IsNamedByTheFileOfGroupsOrByItsNumber) {
  TemporaryFolder folder;
  const std::string file = folder.path("group");
  write_file(file, "root:x:0:\n+\nci:x:54321:ann,bob\nold:54322\n");
  EXPECT_EQ(name_of_id(file, 0), "root");
  EXPECT_EQ(name_of_id(file, 54321), "ci");
  EXPECT_EQ(name_of_id(file, 54322), "54322");
  EXPECT_EQ(name_of_id(folder.path("none"), 7), "7");
}

TEST(SocketGroup, IsToBeJoinedByWhoeverIsNotInItIfItsMembersMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  TemporaryFolder folder;
  const std::string socket = folder.path("s");
  write_file(socket, "");
  ASSERT_EQ(chown(socket.c_str(), 54320, 54321), 0);
  ASSERT_EQ(chmod(socket.c_str(), 0660), 0);
  EXPECT_EQ(how_to_join(socket),
            "you are not in its group `54321`: `sudo usermod -aG 54321 root`, then log in again");
  ASSERT_EQ(chmod(socket.c_str(), 0600), 0);
  EXPECT_EQ(how_to_join(socket), "") << "its members may not use it either";
  ASSERT_EQ(chmod(socket.c_str(), 0660), 0);
  ASSERT_EQ(chown(socket.c_str(), 54320, getegid()), 0);
  EXPECT_EQ(how_to_join(socket), "") << "a member";
  EXPECT_EQ(how_to_join(folder.path("none")), "");
}

TEST(SocketGroup, OfRootIsToBeJoinedByNobody) {
  EXPECT_EQ(advice_to_join(0, "root", "ann"), "have `service.group` name a group of this user's");
  EXPECT_EQ(advice_to_join(7, "ci", "ann"),
            "you are not in its group `ci`: `sudo usermod -aG ci ann`, then log in again");
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

/// The daemon's end of a client's connection; the test speaks for the daemon.
struct SpokenFor {
  ~SpokenFor() {
    close(descriptor);
    close(listening);
  }

  void answer(const std::string& status, const std::string& body) const {
    const std::string text = "HTTP/1.1 " + status +
                             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                             body;
    ASSERT_EQ(::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  /// The body of the request that has arrived.
  std::string body() const {
    char request[4096];
    const ssize_t size = recv(descriptor, request, sizeof request, 0);
    const std::string text(request, size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::size_t end = text.find("\r\n\r\n");
    return end == std::string::npos ? "no request" : text.substr(end + 4);
  }

  TemporaryFolder folder;
  http::SocketClaim claim = std::get<http::SocketClaim>(
      http::SocketClaim::acquire(folder.path("s"), http::SocketClaim::Folder::given, getegid()));
  int listening = claim.take_descriptor();
  Client client = std::get<Client>(Client::connect(folder.path("s")));
  int descriptor = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
};

TEST(Client, TakesALateAnswerForNoOtherRequest) {
  SpokenFor daemon;
  ASSERT_EQ(daemon.client.send("GET", "/v1/jobs?limit=10000"), std::nullopt);
  daemon.answer("200 OK", "late");  // The client no longer waits for this reply.
  const auto answer = daemon.client.call("POST", "/v1/jobs", "{}");
  EXPECT_TRUE(std::holds_alternative<std::string>(answer));
  char byte = 0;
  while (recv(daemon.descriptor, &byte, 1, 0) > 0) continue;  // Up to the end: it is closed.
  EXPECT_EQ(daemon.client.reconnect(), std::nullopt);
  EXPECT_EQ(daemon.client.send("GET", "/livez"), std::nullopt);
}

TEST(Client, AsksAnOlderDaemonAgainWithoutWhatItLacks) {
  SpokenFor daemon;
  ASSERT_EQ(daemon.client.send("POST", "/v1/jobs", R"({"key":"k","parent":"","variant":"8"})"),
            std::nullopt);
  EXPECT_EQ(daemon.body(), R"({"key":"k","parent":"","variant":"8"})");
  daemon.answer("400 Bad Request", R"({"error": {"code": "unknown_field", "field": "parent"}})");
  EXPECT_FALSE(daemon.client.receive()) << "the refusal is no answer for the caller";
  EXPECT_EQ(daemon.body(), R"({"key":"k"})");
  daemon.answer("201 Created", "{}");
  const auto answer = daemon.client.receive();
  ASSERT_TRUE(answer && std::holds_alternative<ClientReply>(*answer));
  EXPECT_EQ(std::get<ClientReply>(*answer).status, 201);

  ASSERT_EQ(daemon.client.send("POST", "/v1/jobs", R"({"key":"l","parent":""})"), std::nullopt);
  EXPECT_EQ(daemon.body(), R"({"key":"l"})") << "it remembers";
}

TEST(Client, PassesOnARefusalOfWhatTheJobNeeds) {
  SpokenFor daemon;
  for (const std::string field : {"locks", "parent"}) {
    ASSERT_EQ(daemon.client.send("POST", "/v1/jobs", R"({"locks":{"node":"shared:a"}})"),
              std::nullopt);
    daemon.answer("400 Bad Request",
                  R"({"error": {"code": "unknown_field", "field": ")" + field + "\"}}");
    const auto answer = daemon.client.receive();
    ASSERT_TRUE(answer && std::holds_alternative<ClientReply>(*answer)) << field;
    EXPECT_EQ(std::get<ClientReply>(*answer).status, 400);
  }
}

}  // namespace
}  // namespace sluice::testing

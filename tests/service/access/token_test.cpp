// The token over TCP, against a daemon.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "has.h"

namespace sluice::testing {
namespace {

const std::string kHexToken = "3a7bd3e2360a3d29eea436fcfb7e44c7";
const std::string kOther = "0c9d3f0f4bd1e2d5b1a7f86c4e5a9d11";

/// The full reply of a server at "127.0.0.1:PORT", up to the close.
std::string over_tcp(const std::string& place, const std::string& method, const std::string& target,
                     const std::string& token = "") {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(place.substr(place.find(':') + 1))));
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::string request = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!token.empty()) request += "Authorization: Bearer " + token + "\r\n";
  request += "Connection: close\r\n\r\n";
  send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
  std::string heard;
  char chunk[4096];
  for (ssize_t got = 0; (got = recv(descriptor, chunk, sizeof chunk, 0)) > 0;) {
    heard.append(chunk, static_cast<std::size_t>(got));
  }
  close(descriptor);
  return heard;
}

class Token : public ::testing::Test {
 protected:
  Token() {
    set_token(kHexToken, 0600);
    daemon = std::make_unique<RunningDaemon>(config());
  }

  std::string config() const {
    return std::string(kSmallWindow) + "service:\n  token_file: " + file + "\n";
  }
  void set_token(const std::string& token, mode_t mode) const {
    write_file(file, token + "\n");
    chmod(file.c_str(), mode);
  }
  /// "201"
  std::string status_of(const std::string& method, const std::string& target,
                        const std::string& token = "") const {
    return over_tcp(daemon->listen(), method, target, token).substr(9, 3);
  }

  TemporaryFolder folder;
  const std::string file = folder.path("token");
  std::unique_ptr<RunningDaemon> daemon;
};

TEST_F(Token, IsAskedForWhereSomethingWouldChange) {
  EXPECT_EQ(status_of("GET", "/v1/status"), "200");
  EXPECT_EQ(status_of("GET", "/metrics"), "200");
  EXPECT_EQ(status_of("POST", "/v1/pause"), "401");
  EXPECT_EQ(status_of("POST", "/v1/pause", kOther), "401");
  EXPECT_TRUE(has(daemon->ask("GET", "/v1/status").body, "\"paused\":false"));
  EXPECT_EQ(status_of("POST", "/v1/pause", kHexToken), "200");
  EXPECT_TRUE(has(daemon->ask("GET", "/v1/status").body, "\"paused\":true"));
  EXPECT_EQ(status_of("POST", "/v1/resume", kHexToken), "200");
  EXPECT_EQ(status_of("POST", "/v1/jobs", kHexToken), "201");
  EXPECT_EQ(status_of("DELETE", "/v1/jobs/1"), "401");
  EXPECT_EQ(status_of("DELETE", "/v1/jobs/1", kHexToken), "200");
}

TEST_F(Token, IsReadAgainOnReload) {
  set_token(kOther, 0600);
  EXPECT_EQ(status_of("POST", "/v1/resume", kOther), "401") << "not yet";
  EXPECT_EQ(status_of("POST", "/v1/reload", kHexToken), "200");
  EXPECT_EQ(status_of("POST", "/v1/resume", kHexToken), "401");
  EXPECT_EQ(status_of("POST", "/v1/resume", kOther), "200");
  write_file(daemon->config_file, kSmallWindow);
  EXPECT_EQ(daemon->ask("POST", "/v1/reload").status, 200);
  EXPECT_EQ(status_of("POST", "/v1/resume", kOther), "403") << "there is none any more";
}

TEST_F(Token, ThatEverybodyCanReadFailsTheReloadAndTheOldOneStays) {
  set_token(kOther, 0644);
  const ClientReply reply = daemon->ask("POST", "/v1/reload");
  EXPECT_EQ(reply.status, 422);
  EXPECT_TRUE(has(reply.body, "is world-readable")) << reply.body;
  EXPECT_TRUE(has(reply.body, "\"line\":5,\"column\":15")) << reply.body;
  EXPECT_EQ(status_of("POST", "/v1/resume", kOther), "401");
  EXPECT_EQ(status_of("POST", "/v1/resume", kHexToken), "200");
}

TEST_F(Token, ThatEverybodyCanReadLetsNoDaemonStart) {
  set_token(kHexToken, 0644);
  try {
    const RunningDaemon second(config());
    FAIL() << "it started";
  } catch (const CannotServe& problem) {
    EXPECT_TRUE(has(problem.what(), "service.token_file: " + file + " is world-readable"))
        << problem.what();
    EXPECT_FALSE(has(problem.what(), kHexToken));
  }
}

TEST_F(Token, IsInNoLogStatusMetricOrError) {
  std::string shown;
  for (const std::string& sent : {kHexToken, kHexToken + "x", kOther}) {
    shown += over_tcp(daemon->listen(), "POST", "/v1/pause", sent);
    shown += over_tcp(daemon->listen(), "GET", "/nowhere", sent);
    shown += over_tcp(daemon->listen(), "BREW", "/v1/jobs", sent);
  }
  set_token("tiny!", 0600);
  shown += daemon->ask("POST", "/v1/reload").body;
  for (const char* target : {"/v1/status", "/v1/jobs", "/metrics"}) {
    shown += daemon->ask("GET", target).body;
  }
  shown += daemon->log();
  EXPECT_TRUE(has(shown, "token_wrong")) << "it was all looked at";
  for (const std::string& secret : {kHexToken, kHexToken.substr(0, 16), kOther}) {
    EXPECT_FALSE(has(shown, secret)) << shown;
  }
  EXPECT_FALSE(has(shown, "tiny!"));
}

}  // namespace
}  // namespace sluice::testing

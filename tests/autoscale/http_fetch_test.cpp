#include "autoscale/http_fetch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscale/fleet_observation.h"
#include "fetching.h"
#include "fixture.h"
#include "kubernetes_world.h"
#include "raw_server.h"

namespace sluice::fetch_test {
namespace {

using std::chrono::milliseconds;
using testing::KubernetesWorld;
using testing::RawServer;
using testing::RawSocket;

Endpoint place_of(const RawServer& server) {
  return {Endpoint::Kind::plain, "127.0.0.1", server.port(), ""};
}

/// Waits until the client hangs up.
void stay(const RawSocket& socket) { socket.hear(); }

/// Whether the client hangs up within the time.
bool hangs_up(const RawSocket& socket, milliseconds within) {
  pollfd poll_for{socket.descriptor(), POLLRDHUP, 0};
  return ::poll(&poll_for, 1, static_cast<int>(within.count())) != 0;
}

/// Sends the bytes at once and after each pause until the client hangs up.
void repeat(const RawSocket& socket, const std::string& bytes, milliseconds pause) {
  do {
    if (::send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL) <= 0) return;
  } while (!hangs_up(socket, pause));
}

RawServer::Answer saying(std::string bytes) {
  return [bytes = std::move(bytes)](const RawSocket& socket) { socket.say(bytes); };
}

/// Environment variables, restored by the destructor.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      const char* const before = std::getenv(name.c_str());
      before_[name] = before ? std::optional<std::string>(before) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

/// Proxies that do not exist.
Environment proxies() {
  const std::string gone = "http://127.0.0.1:1";
  return Environment({{"http_proxy", gone},
                      {"https_proxy", gone},
                      {"HTTPS_PROXY", gone},
                      {"all_proxy", gone},
                      {"ALL_PROXY", gone},
                      {"no_proxy", ""},
                      {"NO_PROXY", ""}});
}

TEST(HttpFetchTest, ReadsWhatServersSend) {
  std::string interim;
  for (int n = 0; n < 1000; ++n) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  std::string endless_interim;
  for (int n = 0; n < 500; ++n) endless_interim += interim;
  const std::string last = "HTTP/1.1 204 No Content\r\n\r\n";
  const std::string no_http = "the answer is not HTTP";
  const std::string late = "no answer in time";
  const std::string torn = "the answer was cut off";
  enum class Then { stays, ends };
  struct Case {
    std::string bytes;
    Then then;
    int status;  ///< -1 for an error message.
    std::string body;
  };
  const Case cases[] = {
      {"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", Then::stays, 200, "ok"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", Then::stays, -1, late},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", Then::ends, -1, torn},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n",
       Then::stays, 200, "abc"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX: y\r\n\r\n",
       Then::stays, 200, "ab"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", Then::stays, -1, late},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", Then::ends, -1, torn},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", Then::stays, -1,
       "chunked-encoding"},
      {"HTTP/1.1 100 Continue\r\n\r\n" + last, Then::stays, 204, ""},
      {interim + last, Then::stays, 204, ""},
      {interim, Then::stays, -1, late},
      {interim, Then::ends, -1, torn},
      {endless_interim + last, Then::stays, -1, "the answer is too large"},
      {endless_interim, Then::stays, -1, "the answer is too large"},
      {endless_interim, Then::ends, -1, "the answer is too large"},
      {"HTTP/1.0 200 OK\r\n\r\nall of it", Then::ends, 200, "all of it"},
      {"HTTP/1.0 200 OK\r\n\r\nall of", Then::stays, -1, late},
      {"HTTP/1.1 304 Not Modified\r\n\r\n", Then::stays, 304, ""},
      {"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy", Then::stays, 503, "busy"},
      {"HTTP/1.1 200 OK\r\nContent-Le", Then::ends, -1, torn},
      {"HTTP/1.1 200 OK\r\n", Then::ends, -1, torn},
      {"SSH-2.0-x\r\n", Then::stays, -1, no_http},
      {"HTTP/1.1 2x0 OK\r\n\r\n", Then::ends, -1, no_http},
      {"", Then::ends, -1, torn}};
  for (const Case& each : cases) {
    const std::string what = each.bytes.substr(0, 100);
    const RawServer server([&](const RawSocket& socket) {
      socket.say(each.bytes);
      if (each.then == Then::stays) stay(socket);
    });
    const Reply reply = fetch(place_of(server), get("/"),
                              each.body == late ? Duration(milliseconds(300)) : seconds(20));
    if (each.status < 0) {
      const std::string problem = problem_of(reply);
      EXPECT_TRUE(problem.starts_with("127.0.0.1:" + server.port() + ": ")) << problem;
      EXPECT_TRUE(problem.ends_with(each.body)) << problem << ", not " << each.body;
      continue;
    }
    ASSERT_TRUE(std::holds_alternative<ClientReply>(reply)) << what << problem_of(reply);
    EXPECT_EQ(std::get<ClientReply>(reply).status, each.status);
    EXPECT_EQ(std::get<ClientReply>(reply).body, each.body);
  }
}

TEST(HttpFetchTest, SendsExactlyTheRequest) {
  const RawServer server(saying("HTTP/1.1 204 No Content\r\n\r\n"));
  Endpoint place = place_of(server);
  place.prefix = "/prefix";
  HttpCall call = get("/a%3Db?x=%7B..%7D");
  call.token = "secret";
  EXPECT_EQ(problem_of(fetch(place, call)), "status 204");
  call = {};
  call.method = "POST";
  call.target = "/v1/drain";
  EXPECT_EQ(problem_of(fetch(place, call)), "status 204");
  call.method = "PATCH";
  call.body = "{}";
  call.content_type = "application/merge-patch+json";
  EXPECT_EQ(problem_of(fetch(place, call)), "status 204");
  const std::string host =
      " HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\nAccept: */*\r\nConnection: close\r\n";
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0],
            "GET /prefix/a%3Db?x=%7B..%7D" + host + "Authorization: Bearer secret\r\n\r\n");
  EXPECT_EQ(requests[1], "POST /prefix/v1/drain" + host + "Content-Length: 0\r\n\r\n");
  EXPECT_TRUE(requests[2].starts_with("PATCH /prefix/v1/drain" + host +
                                      "Content-Type: application/merge-patch+json\r\n"
                                      "Content-Length: 2\r\n\r\n"))
      << requests[2];
}

TEST(HttpFetchTest, IgnoresTheProxiesOfTheEnvironment) {
  const Environment environment = proxies();
  const RawServer server(saying("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_EQ(problem_of(fetch(place_of(server))), "status 204");
  if (!KubernetesWorld::missing().empty())
    GTEST_SKIP() << "SKIPPED: " << KubernetesWorld::missing();
  const KubernetesWorld world(R"({"kind": "deployments", "replicas": 0, "pods": []})");
  EXPECT_TRUE(std::holds_alternative<WorkloadScale>(KubernetesApi(world.options()).scale()));
}

TEST(HttpFetchTest, TakesNoPasswordFromNetrcOrFromTheHost) {
  const testing::TemporaryFolder home;
  testing::write_file(home.path(".netrc"), "machine 127.0.0.1 login user password secret\n");
  const Environment environment({{"HOME", home.path(".")}});
  const RawServer server(saying("HTTP/1.1 204 No Content\r\n\r\n"));
  Endpoint place = place_of(server);
  EXPECT_EQ(problem_of(fetch(place)), "status 204");
  place.host = "user@127.0.0.1";
  EXPECT_TRUE(has(problem_of(fetch(place)), "user@127.0.0.1:" + server.port() + ": "));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_FALSE(has(requests[0], "Authorization")) << requests[0];
}

TEST(HttpFetchTest, ReportsARedirectAndDoesNotFollowIt) {
  const RawServer target(saying("HTTP/1.1 204 No Content\r\n\r\n"));
  for (const std::string& location :
       {"http://127.0.0.1:" + target.port() + "/", std::string("file:///etc/hostname"),
        std::string("/elsewhere")}) {
    const RawServer server(
        saying("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n"));
    HttpCall call = get("/");
    call.token = "secret";
    EXPECT_EQ(problem_of(fetch(place_of(server), call)),
              "127.0.0.1:" + server.port() + ": answers 302 and redirects to " + location +
                  "; redirects are not followed");
    EXPECT_EQ(server.requests().size(), 1U);
  }
  EXPECT_TRUE(target.requests().empty());
}

TEST(HttpFetchTest, WritesTheKeysOfConnectionsToNoFile) {
  const std::map<std::string, std::string> asks{{"SSLKEYLOGFILE", "/dev/stderr"}};
  const Environment environment(asks);
  start_http();
  EXPECT_EQ(std::getenv("SSLKEYLOGFILE"), nullptr);
}

TEST(HttpFetchTest, RefusesAnAnswerThatIsTooLarge) {
  const std::string megabyte(1 << 20, 'x');
  const std::string length = std::to_string(kMostReply + 1);
  const std::string heads[] = {"HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n",
                               "HTTP/1.0 200 OK\r\n\r\n"};
  for (const std::string& head : heads) {
    const RawServer server([&](const RawSocket& socket) {
      socket.say(head);
      repeat(socket, megabyte, milliseconds(0));
    });
    EXPECT_EQ(problem_of(fetch(place_of(server))),
              "127.0.0.1:" + server.port() + ": the answer is too large");
  }
  const RawServer headers([&](const RawSocket& socket) {
    socket.say("HTTP/1.1 200 OK\r\n");
    repeat(socket, "X-Padding: " + std::string(1000, 'x') + "\r\n", milliseconds(0));
  });
  EXPECT_EQ(problem_of(fetch(place_of(headers))),
            "127.0.0.1:" + headers.port() + ": the answer is too large");
}

TEST(HttpFetchTest, TakesAnAnswerOfTheMostBytes) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kMostReply - 100) + "\r\n\r\n";
  const RawServer server(saying(head + std::string(kMostReply - 100, 'x')));
  const Reply reply = fetch(place_of(server), get("/"), seconds(60));
  ASSERT_TRUE(std::holds_alternative<ClientReply>(reply)) << problem_of(reply);
  EXPECT_EQ(std::get<ClientReply>(reply).body.size(), kMostReply - 100);
}

TEST(HttpFetchTest, EndsAtTheDeadlineHoweverSlowTheAnswerIs) {
  const RawServer::Answer answers[] = {
      [](const RawSocket& socket) {
        socket.say("HTTP/1.0 200 OK\r\n\r\n");
        repeat(socket, "x", milliseconds(20));
      },
      [](const RawSocket& socket) {
        socket.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        repeat(socket, "1\r\nx\r\n", milliseconds(20));
      },
      [](const RawSocket& socket) {
        socket.say("HTTP/1.1 200 OK\r\n");
        repeat(socket, "X: y\r\n", milliseconds(20));
      },
      [](const RawSocket& socket) { repeat(socket, "H", milliseconds(400)); }, stay};
  for (const RawServer::Answer& answer : answers) {
    const RawServer server(answer);
    for (const auto kind : {Endpoint::Kind::plain, Endpoint::Kind::tls}) {
      Endpoint place = place_of(server);
      place.kind = kind;
      HttpCall call = get("/");
      call.authorities = kSystemAuthorities;
      if (kind == Endpoint::Kind::tls && !std::filesystem::exists(kSystemAuthorities)) continue;
      const TimePoint before = Clock::now();
      const std::string problem = problem_of(fetch(place, call, milliseconds(300)));
      EXPECT_LT(Clock::now() - before, seconds(10));
      EXPECT_TRUE(problem.starts_with("127.0.0.1:" + server.port() + ": ")) << problem;
      // The bytes of the others are no TLS: the client may see that before the time is over.
      const bool waits = kind == Endpoint::Kind::plain || &answer == std::end(answers) - 1;
      EXPECT_TRUE(!waits || has(problem, "no answer in time")) << problem;
    }
  }
  const RawServer server(stay);
  EXPECT_TRUE(has(problem_of(fetch(place_of(server), get("/"), seconds(0))), "no answer in time"));
}

TEST(HttpFetchTest, DoesNotWaitForANameServerLongerThanItMay) {
  const TimePoint before = Clock::now();
  const std::string problem = problem_of(fetch(
      {Endpoint::Kind::plain, "no-such-host.invalid", "80", ""}, get("/"), milliseconds(300)));
  EXPECT_LT(Clock::now() - before, seconds(4));
  EXPECT_TRUE(problem.starts_with("no-such-host.invalid:80: no-such-host.invalid: the name "))
      << problem;
}

TEST(HttpFetchTest, NamesTheConnectionThatFails) {
  EXPECT_EQ(problem_of(fetch({Endpoint::Kind::plain, "127.0.0.1", "1", ""})),
            "127.0.0.1:1: Connection refused");
  EXPECT_EQ(problem_of(fetch({Endpoint::Kind::unix_socket, "/nowhere/socket", "", ""})),
            "/nowhere/socket: No such file or directory");
  const std::string path = "/" + std::string(200, 'x');
  EXPECT_EQ(problem_of(fetch({Endpoint::Kind::unix_socket, path, "", ""})),
            path + ": the path of a socket has at most 107 bytes");
}

TEST(HttpFetchTest, ReachesAnAddressOfIpv6) {
  const RawServer server(saying("HTTP/1.1 204 No Content\r\n\r\n"), AF_INET6);
  if (!server.listens()) GTEST_SKIP() << "SKIPPED: this host has no IPv6";
  EXPECT_EQ(problem_of(fetch({Endpoint::Kind::plain, "::1", server.port(), ""})), "status 204");
  EXPECT_TRUE(has(server.requests().at(0), "\r\nHost: [::1]:" + server.port() + "\r\n"));
}

TEST(HttpFetchTest, SendsNothingThatWouldAddAHeader) {
  const RawServer server(saying("HTTP/1.1 204 No Content\r\n\r\n"));
  for (const char* const bad : {"a\r\nX: y", "a\nX: y", "a b", "a\x7f", "a\xc3\xa4"}) {
    HttpCall call = get("/");
    call.token = bad;
    EXPECT_TRUE(has(problem_of(fetch(place_of(server), call)), "no header may contain")) << bad;
    for (auto member : {&HttpCall::target, &HttpCall::method, &HttpCall::content_type}) {
      call = get("/");
      call.*member = std::string("/") + bad;
      EXPECT_TRUE(has(problem_of(fetch(place_of(server), call)), "no HTTP request may contain"))
          << bad;
    }
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttpFetchTest, ExecutorsThatDoNotAnswerAreAskedAtTheSameTime) {
  const RawServer server(stay);
  std::vector<ExecutorObservation> executors(60);
  for (ExecutorObservation& each : executors) each.place = place_of(server);
  AskingOptions options;
  options.timeout = seconds(1);
  const TimePoint before = Clock::now();
  ask_executors(executors, options);
  EXPECT_LT(Clock::now() - before, seconds(15));
  for (const ExecutorObservation& each : executors) {
    EXPECT_EQ(each.problem, "127.0.0.1:" + server.port() + ": no answer in time");
  }
}

}  // namespace
}  // namespace sluice::fetch_test

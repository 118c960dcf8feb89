// The order in which a server does its work, seen from inside: one thread, real sockets, replies
// whose cost the test sets.
#include "service/http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <thread>

#include "fixture.h"
#include "raw_socket.h"
#include "service/http/socket_claim.h"
#include "service/http/tcp_listen.h"

namespace sluice::http {
namespace {
using namespace sluice::testing;
using namespace std::chrono_literals;

constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

std::string asked(int times) {
  std::string text;
  for (int n = 0; n < times; ++n) text += kAsk;
  return text;
}

/// A server that records each request as 't' (TCP) or 'u' (Unix socket), next to a timer that is
/// always due and is recorded as '.'.
struct World {
  explicit World(Limits its_limits = {}) : limits(its_limits) {
    server.listen_unix(claim.take_descriptor());
    server.listen_tcp(tcp);
    beat();
  }

  std::optional<Response> answer(const Request& request) {
    const char who = request.peer.transport == Transport::tcp ? 't' : 'u';
    noted += who;
    if (on_request) on_request();
    Response response;
    response.body = body;
    return response;
  }

  void beat() {
    timer.expires_after(Duration{0});
    timer.async_wait([this](boost::system::error_code cancelled) {
      if (cancelled) return;
      noted += '.';
      beat();
    });
  }

  void run_until(const std::function<bool()>& condition) {
    const TimePoint deadline = Clock::now() + kDeadline;
    while (!condition() && Clock::now() < deadline) context.run_one();
    EXPECT_TRUE(condition()) << noted.substr(0, 1000);
  }
  std::ptrdiff_t count(char who) const { return std::count(noted.begin(), noted.end(), who); }

  Limits limits;
  std::vector<std::string> warnings;
  std::string noted;
  std::string body = "ok\n";
  std::function<void()> on_request;
  TemporaryFolder folder;
  SocketClaim claim = std::get<SocketClaim>(
      SocketClaim::acquire(folder.path("s"), SocketClaim::Folder::given, getegid()));
  const int tcp = std::get<int>(listen_tcp("127.0.0.1:0"));
  const std::string place = bound_address(tcp);
  boost::asio::io_context context{1};
  boost::asio::steady_timer timer{context};
  Server server{context,
                {[this](const Request& request) { return answer(request); },
                 [](ConnectionId) {},
                 [](ConnectionId) { return false; },
                 {},
                 {},
                 {},
                 [this](std::string_view line) { warnings.emplace_back(line); }},
                limits};
};

/// The longest run of the same record without the timer in between.
std::size_t longest_run(const std::string& noted, char who) {
  std::size_t longest = 0, run = 0;
  for (const char each : noted) {
    run = each == who ? run + 1 : each == '.' ? 0 : run;
    longest = std::max(longest, run);
  }
  return longest;
}

std::vector<RawSocket> crowd_of_readers(World& world, int clients, int requests) {
  std::vector<RawSocket> crowd;
  for (int n = 0; n < clients; ++n) {
    crowd.emplace_back(connect_tcp(world.place));
    crowd.back().say(asked(requests));
  }
  return crowd;
}

TEST(HttpServer, TimersHaveTheirTurnBetweenTwoAnswersOverTcp) {
  World world;
  const auto crowd = crowd_of_readers(world, 8, 10);
  world.run_until([&] { return world.count('t') == 80; });
  EXPECT_LE(longest_run(world.noted, 't'), 2u) << world.noted;
}

TEST(HttpServer, TheUnixSocketIsAnsweredBeforeTheReadersThatWait) {
  World world;
  const RawSocket quick(world.folder.path("s"));
  quick.say(kAsk);
  world.run_until([&] { return world.count('u') == 1; });
  const auto crowd = crowd_of_readers(world, 8, 10);
  world.on_request = [&] {
    if (world.noted.back() == 't' && world.count('t') == 8) quick.say(kAsk);
  };
  world.run_until([&] { return world.count('t') == 80; });
  ASSERT_EQ(world.count('u'), 2);
  const std::string before = world.noted.substr(0, world.noted.rfind('u'));
  EXPECT_LE(std::count(before.begin(), before.end(), 't'), 10) << world.noted;
}

TEST(HttpServer, PipelinedRequestsOverTheUnixSocketLetOthersInBetween) {
  World world;
  const RawSocket socket(world.folder.path("s"));
  socket.say(asked(50));
  world.run_until([&] { return world.count('u') == 50; });
  EXPECT_LE(longest_run(world.noted, 'u'), 2u) << world.noted;
}

TEST(HttpServer, AReadersAnswerLeavesAsMuchTimeToOthersAsItTook) {
  World world;
  const Duration takes = 5ms;
  std::vector<TimePoint> began;
  world.on_request = [&] {
    began.push_back(Clock::now());
    while (Clock::now() < began.back() + takes) continue;
  };
  const auto crowd = crowd_of_readers(world, 2, 2);
  world.run_until([&] { return began.size() == 4; });
  for (std::size_t at = 1; at < began.size(); ++at) {
    EXPECT_GE(began[at] - began[at - 1], 2 * takes);
  }
}

TEST(HttpServer, AReaderThatHangsUpWhileItWaitsHasNoTurn) {
  World world;
  auto crowd = crowd_of_readers(world, 5, 1);
  world.on_request = [&] { crowd.clear(); };
  world.run_until([&] { return world.count('t') > 0; });
  world.run_until([&] { return world.server.connections() == 0; });
  const RawSocket next(connect_tcp(world.place));
  next.say(kAsk);
  const auto before = world.count('t');
  world.run_until([&] { return world.count('t') == before + 1; });
}

TEST(HttpServer, AReaderIsSentAllThatItHasRoomForInOneTurn) {
  World world;
  world.timer.cancel();
  world.body.assign(8 << 20, 'x');
  const RawSocket socket(connect_tcp(world.place));
  const int room = 1 << 20;
  setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  socket.say(kAsk);
  std::atomic<bool> all{false};
  std::thread reader([&] {
    std::vector<char> chunk(1 << 20);
    for (std::size_t heard = 0; heard <= world.body.size();) {
      const ssize_t got = recv(socket.descriptor(), chunk.data(), chunk.size(), 0);
      if (got <= 0) return;
      heard += static_cast<std::size_t>(got);
    }
    all = true;
  });
  std::size_t turns = 0;
  const TimePoint deadline = Clock::now() + kDeadline;
  while (!all && Clock::now() < deadline) turns += world.context.run_one_for(10ms);
  shutdown(socket.descriptor(), SHUT_RDWR);
  reader.join();
  EXPECT_TRUE(all);
  EXPECT_LT(turns, 64u) << "128 times 64 KiB";
}

TEST(HttpServer, AnswersAClientThatHasFinishedSpeaking) {
  World world;
  for (const bool tcp : {true, false}) {
    const auto served = static_cast<std::ptrdiff_t>(tcp ? 't' : 'u');
    RawSocket client =
        tcp ? RawSocket(connect_tcp(world.place)) : RawSocket(world.folder.path("s"));
    client.say(asked(3));
    shutdown(client.descriptor(), SHUT_WR);
    world.run_until([&] {
      return world.count(static_cast<char>(served)) > 0 && world.server.connections() == 0;
    });
    const std::string heard = client.hear();
    int answers = 0;
    for (std::size_t at = 0; (at = heard.find("HTTP/1.1 200 OK", at)) != std::string::npos; ++at) {
      ++answers;
    }
    EXPECT_EQ(answers, 3) << (tcp ? "TCP: " : "Unix: ") << heard;
  }
}

bool has_answer(const RawSocket& socket) {
  char first = 0;
  return recv(socket.descriptor(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/// Requests served of a client that says this and has gone before the server looks.
std::ptrdiff_t served_of_a_dead_client(const std::string& says) {
  World world;
  { RawSocket(world.folder.path("s")).say(says); }
  const RawSocket other(world.folder.path("s"));
  other.say(kAsk);
  // The dead one was accepted first: it has been seen once the other alone is left.
  world.run_until([&] { return has_answer(other) && world.server.connections() == 1; });
  return world.count('u') - 1;
}

TEST(HttpServer, ADeadClientOfTheUnixSocketIsServedNoRead) {
  EXPECT_EQ(served_of_a_dead_client(asked(50)), 0);
  EXPECT_EQ(served_of_a_dead_client("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"), 0);
}

TEST(HttpServer, AChangeIsMadeForAClientThatAwaitsNoAnswer) {
  EXPECT_EQ(served_of_a_dead_client("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"), 1);
}

TEST(HttpServer, RefusesTheLastQuarterToAUserWithMoreThanAQuarterAndWarnsOnce) {
  Limits few;
  few.connections = 8;
  few.kept = 0;
  World world(few);
  std::vector<RawSocket> held;
  for (int n = 0; n < 6; ++n) held.emplace_back(world.folder.path("s"));
  world.run_until([&] { return world.server.connections() == 6; });
  const RawSocket first(world.folder.path("s")), second(world.folder.path("s"));
  world.run_until([&] { return has_answer(first) && has_answer(second); });
  const std::string share = "user " + std::to_string(geteuid()) + " holds 6 of 8 connections";
  const std::string heard = first.hear();
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 503 ")) << heard;
  const std::string body =
      R"({"error":{"code":"too_many_connections","message":"too many clients: )" + share +
      "\",\"field\":null}}\n";
  EXPECT_TRUE(heard.ends_with("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body))
      << heard;
  ASSERT_EQ(world.warnings.size(), 1u) << "not again within a minute";
  EXPECT_TRUE(world.warnings[0].starts_with(share)) << world.warnings[0];
}

TEST(HttpServer, AConnectionThatEndsIsNoLongerCountedForItsUser) {
  Limits few;
  few.connections = 8;
  few.kept = 0;
  World world(few);
  for (int round = 0; round < 3; ++round) {
    std::vector<RawSocket> held;
    for (int n = 0; n < 6; ++n) held.emplace_back(world.folder.path("s"));
    world.run_until([&] { return world.server.connections() == 6; });
    held.clear();
    world.run_until([&] { return world.server.connections() == 0; });
  }
  EXPECT_TRUE(world.warnings.empty());
}

}  // namespace
}  // namespace sluice::http

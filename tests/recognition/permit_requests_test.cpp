// Requests to a real daemon, which is stopped or slow.
#include "recognition/permit_requests.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/process_table.h"
#include "command_runner.h"
#include "few_descriptors.h"
#include "fixture.h"
#include "full_listener.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using NewsWhat = PermitNews::What;

class Requests : public ::testing::Test {
 protected:
  explicit Requests(const std::string& yaml = kOneAtOnce) : daemon(folder.path(""), yaml) {
    requests.emplace(std::get<Client>(Client::connect(daemon.socket())));
  }
  void ask(Ticket ticket, int priority = 0) {
    Submission submission;
    submission.id = "test-" + std::to_string(ticket);
    submission.key = "cc1:a.c:1";
    submission.program = "cc1";
    submission.queue = "default";
    submission.lease = Submission::Lease::connection;
    submission.priority = priority;
    requests->ask(ticket, submission, getpid());
  }
  /// Until it stands still, it is busy.
  void stop_daemon() const {
    daemon.kill(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return !has_busy_thread(daemon.pid()); }));
  }
  bool poll(NewsWhat what, TimePoint at) {
    for (PermitNews& each : requests->poll(at)) news.push_back(each);
    return std::ranges::find(news, what, &PermitNews::what) != news.end();
  }
  bool until(NewsWhat what) {
    return eventually([&] { return poll(what, now); });
  }

  TemporaryFolder folder;
  ServingProcess daemon;
  std::optional<PermitRequests> requests;
  std::vector<PermitNews> news;
  TimePoint now{seconds(1000)};
};

TEST_F(Requests, ADaemonThatIsSilentWhileEverythingWaitsIsLost) {
  ask(1);
  ASSERT_TRUE(until(NewsWhat::granted));
  ask(2);
  ASSERT_TRUE(until(NewsWhat::waits));
  // Its waiting request is under way; nothing else is asked.
  ASSERT_TRUE(eventually([&] {
    poll(NewsWhat::lost, now);
    return requests->next() == now + seconds(7);
  }));
  stop_daemon();
  EXPECT_FALSE(poll(NewsWhat::lost, now + seconds(6)));
  EXPECT_TRUE(poll(NewsWhat::lost, now + seconds(7)));
  now += seconds(8);
  EXPECT_FALSE(poll(NewsWhat::found, now)) << "it only takes connections";
  daemon.kill(SIGCONT);
  EXPECT_TRUE(until(NewsWhat::found));
  EXPECT_EQ(std::ranges::count(news, NewsWhat::lost, &PermitNews::what), 1);
}

/// Takes connections, answers nothing, and uses a CPU, or waits for one, all the time.
constexpr const char* kBusyListener =
    "import socket, sys\n"
    "listening = socket.socket(socket.AF_UNIX)\n"
    "listening.bind(sys.argv[1])\n"
    "listening.listen()\n"
    "while True: pass\n";

TEST_F(Requests, ADaemonThatStarvesHasTenSecondsToAnswer) {
  const std::string socket = folder.path("busy.sock");
  CommandRunner busy({"/usr/bin/python3", "-c", kBusyListener, socket}, folder.path(""));
  std::optional<Client> reached;
  ASSERT_TRUE(eventually([&] {
    auto client = Client::connect(socket);
    if (auto* connected = std::get_if<Client>(&client)) reached = std::move(*connected);
    return reached.has_value();
  })) << busy.err();
  requests.emplace(*std::move(reached));
  ask(1);
  EXPECT_FALSE(poll(NewsWhat::lost, now));
  EXPECT_FALSE(poll(NewsWhat::lost, now + seconds(2)));
  EXPECT_EQ(requests->next(), now + milliseconds(2500)) << "then it is judged again";
  EXPECT_FALSE(poll(NewsWhat::lost, now + milliseconds(9999)));
  EXPECT_TRUE(poll(NewsWhat::lost, now + milliseconds(10500)));
  ::kill(busy.pid(), SIGKILL);
}

TEST_F(Requests, OfAnIdleHostTheReasonIsHeardThoughWhatWaitsHasNotHeardOfIt) {
  ask(1);
  ASSERT_TRUE(until(NewsWhat::granted));
  ask(2);
  ASSERT_TRUE(until(NewsWhat::waits));
  Client operators = std::get<Client>(Client::connect(daemon.socket()));
  const auto paused = operators.call("POST", "/v1/queues/default/pause");
  ASSERT_TRUE(std::holds_alternative<ClientReply>(paused));
  requests->end(1, Outcome::ok, {});
  ASSERT_TRUE(eventually([&] {
    requests->ask_for_room();
    return poll(NewsWhat::idle, now);
  }));
  const auto idle = std::ranges::find(news, NewsWhat::idle, &PermitNews::what);
  EXPECT_EQ(idle->reason_kind, "queue_paused default");
}

TEST_F(Requests, ADaemonTakenForLostFromTheBeginningIsNotLostAgainAndFoundOnceItAnswers) {
  daemon.kill(SIGSTOP);
  requests->begin_lost();
  EXPECT_FALSE(poll(NewsWhat::found, now));
  now += seconds(3);
  EXPECT_FALSE(poll(NewsWhat::lost, now)) << "that was said before";
  EXPECT_FALSE(requests->awaits_answers());
  now += seconds(1);
  EXPECT_FALSE(poll(NewsWhat::found, now)) << "it only takes connections";
  daemon.kill(SIGCONT);
  EXPECT_TRUE(until(NewsWhat::found));
}

TEST_F(Requests, AGrantIsHeardAlsoWhereMoreWaitThanMayHaveAConnection) {
  constexpr Ticket last = 22;
  const auto has_news = [&](Ticket ticket, NewsWhat what) {
    return std::ranges::any_of(
        news, [&](const auto& each) { return each.ticket == ticket && each.what == what; });
  };
  const FewDescriptors few(64);
  for (Ticket ticket = 1; ticket < last; ++ticket) ask(ticket);
  ASSERT_TRUE(eventually([&] {
    poll(NewsWhat::lost, now);
    return has_news(1, NewsWhat::granted) && has_news(last - 1, NewsWhat::waits);
  }));
  ask(last, 1);
  ASSERT_TRUE(eventually([&] {
    poll(NewsWhat::lost, now);
    return has_news(last, NewsWhat::waits);
  }));
  requests->end(1, Outcome::ok, {});
  EXPECT_TRUE(eventually([&] {
    poll(NewsWhat::lost, now);
    return has_news(last, NewsWhat::granted);
  }));
  EXPECT_FALSE(has_news(2, NewsWhat::granted)) << "it has the lower priority";
}

TEST_F(Requests, ADaemonThatTakesNoConnectionIsLookedForTwiceASecondUntilAnotherAnswersThere) {
  daemon.destroy();
  std::filesystem::remove(daemon.socket());
  std::optional<FullListener> hung(daemon.socket());
  requests.emplace(Client::closed("", daemon.socket()));
  requests->begin_lost();
  for (int look = 0; look < 3; ++look) {
    EXPECT_FALSE(poll(NewsWhat::found, now));
    EXPECT_EQ(requests->next(), now + milliseconds(500));
    now += milliseconds(500);
  }
  hung.reset();
  EXPECT_FALSE(poll(NewsWhat::found, now));
  EXPECT_EQ(requests->next(), now + milliseconds(500)) << "nobody serves there";
  daemon.start();
  now += milliseconds(500);
  EXPECT_TRUE(until(NewsWhat::found));
  ask(1);
  EXPECT_TRUE(until(NewsWhat::granted));
  EXPECT_EQ(std::ranges::count(news, NewsWhat::lost, &PermitNews::what), 0);
}

class ConfiguredRequests : public Requests {
 protected:
  ConfiguredRequests()
      : Requests(
            kOneAtOnce +
            std::string("build: {programs: {swiftc: heavy}, timers: [bats], timed_hold: 3s}\n")) {}
};

TEST_F(ConfiguredRequests, ADaemonTakenForLostFromTheBeginningTellsItsProgramsOnceItAnswers) {
  daemon.kill(SIGSTOP);
  requests->begin_lost();
  EXPECT_FALSE(poll(NewsWhat::found, now));
  now += seconds(3);
  EXPECT_FALSE(poll(NewsWhat::found, now)) << "it is looked for again";
  daemon.kill(SIGCONT);
  now += seconds(1);
  ASSERT_TRUE(until(NewsWhat::found));
  const PermitNews found = *std::ranges::find(news, NewsWhat::found, &PermitNews::what);
  ASSERT_TRUE(found.programs);
  EXPECT_EQ(found.programs->classes,
            (std::map{std::pair{std::string("swiftc"), ProgramClass::heavy}}));
  EXPECT_EQ(found.programs->timekeepers, std::set<std::string>{"bats"});
  EXPECT_EQ(found.timed_hold, seconds(3));
  ask(1);
  EXPECT_TRUE(until(NewsWhat::granted));
  daemon.destroy();
  daemon.start();
  ASSERT_TRUE(until(NewsWhat::lost));
  news.clear();
  // It is looked for again and again, since it may not serve yet.
  ASSERT_TRUE(eventually([&] {
    now += milliseconds(100);
    return poll(NewsWhat::found, now);
  }));
  EXPECT_FALSE(std::ranges::find(news, NewsWhat::found, &PermitNews::what)->programs)
      << "the build keeps those that it has heard of";
}

}  // namespace
}  // namespace sluice::testing

#include "service/api/event_feed.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sluice {
namespace {
using namespace std::chrono_literals;

/// A feed whose texts contain the number of times each was built; records everything it sends.
struct FeedWorld {
  TimePoint now{1000s};
  Duration list_takes{0};
  int statuses = 0, lists = 0;
  std::vector<std::pair<std::uint64_t, std::string>> sent;
  EventFeed feed{
      {[this] { return "s" + std::to_string(++statuses); },
       [this] {
         now += list_takes;
         return "j" + std::to_string(++lists);
       },
       [this](http::ConnectionId to, std::string_view text) { sent.emplace_back(to.value, text); },
       [this] { return now; }}};
};

TEST(EventFeed, WhoComesGetsEverythingAtOnce) {
  FeedWorld world;
  EXPECT_EQ(world.feed.add(http::ConnectionId{1}, http::Transport::unix_socket),
            "retry: 1000\n\nevent: status\ndata: s1\n\nevent: jobs\ndata: j1\n\n");
}

TEST(EventFeed, NothingIsMadeWhileNobodyListens) {
  FeedWorld world;
  world.feed.tick();
  world.feed.add(http::ConnectionId{1}, http::Transport::unix_socket);
  world.feed.remove(http::ConnectionId{1});
  world.feed.tick();
  EXPECT_EQ(world.statuses, 1);
  EXPECT_TRUE(world.sent.empty());
}

TEST(EventFeed, ATickIsMadeOnceForAll) {
  FeedWorld world;
  for (std::uint64_t id = 1; id <= 10; ++id)
    world.feed.add(http::ConnectionId{id}, http::Transport::unix_socket);
  world.statuses = world.lists = 0;
  world.now += 1s;
  world.feed.tick();
  EXPECT_EQ(world.statuses, 1);
  EXPECT_EQ(world.lists, 1);
  ASSERT_EQ(world.sent.size(), 10u);
  for (const auto& [to, text] : world.sent) EXPECT_EQ(text, world.sent[0].second);
}

TEST(EventFeed, AListThatTakesLongIsMadeLessOften) {
  FeedWorld world;
  world.list_takes = 10ms;
  world.feed.add(http::ConnectionId{1}, http::Transport::unix_socket);
  for (int second = 0; second < 60; ++second) {
    world.now += 1s;
    world.feed.tick();
  }
  EXPECT_EQ(world.statuses, 61);
  EXPECT_LE(world.lists * 10, 60 * 1000 * 0.006) << "at most half a percent of the time, or so";
  EXPECT_GE(world.lists, 20);
  std::size_t with_jobs = 0;
  for (const auto& [to, text] : world.sent) with_jobs += text.find("event: jobs") != text.npos;
  EXPECT_EQ(with_jobs + 1, static_cast<std::size_t>(world.lists)) << "the same list is sent once";
}

TEST(EventFeed, AListThatTakesVeryLongIsStillMadeNowAndThen) {
  FeedWorld world;
  world.list_takes = 1s;
  world.feed.add(http::ConnectionId{1}, http::Transport::unix_socket);
  for (int second = 0; second < 60; ++second) {
    world.now += 1s;
    world.feed.tick();
  }
  EXPECT_GE(world.lists, 6);
}

TEST(EventFeed, WhoHangsUpDuringAPushIsForgotten) {
  FeedWorld world;
  EventFeed* feed = nullptr;
  int pushed = 0;
  EventFeed own({[] { return "s"; }, [] { return "j"; },
                 [&](http::ConnectionId to, std::string_view) {
                   ++pushed;
                   feed->remove(to);
                 },
                 [] { return TimePoint{}; }});
  feed = &own;
  own.add(http::ConnectionId{1}, http::Transport::unix_socket);
  own.add(http::ConnectionId{2}, http::Transport::unix_socket);
  own.tick();
  own.tick();
  EXPECT_EQ(pushed, 2);
  EXPECT_EQ(own.listeners(), 0u);
}

TEST(EventFeed, ReadersOverTcpTakeNoPlaceOfTheUnixSocket) {
  FeedWorld world;
  for (std::uint64_t id = 0; id < EventFeed::kMostListeners; ++id) {
    EXPECT_FALSE(world.feed.add(http::ConnectionId{id}, http::Transport::tcp).empty());
  }
  EXPECT_TRUE(world.feed.add(http::ConnectionId{1000}, http::Transport::tcp).empty());
  EXPECT_FALSE(world.feed.add(http::ConnectionId{1001}, http::Transport::unix_socket).empty());
}

TEST(EventFeed, OneTooManyIsTurnedAway) {
  FeedWorld world;
  for (std::uint64_t id = 0; id < EventFeed::kMostListeners; ++id) {
    EXPECT_FALSE(world.feed.add(http::ConnectionId{id}, http::Transport::unix_socket).empty());
  }
  EXPECT_TRUE(world.feed.add(http::ConnectionId{1000}, http::Transport::unix_socket).empty());
  world.feed.remove(http::ConnectionId{5});
  EXPECT_FALSE(world.feed.add(http::ConnectionId{1001}, http::Transport::unix_socket).empty());
}

}  // namespace
}  // namespace sluice

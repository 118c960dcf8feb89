#include "service/http/turns.h"

#include <gtest/gtest.h>

namespace sluice::http {
namespace {
using namespace std::chrono_literals;

TEST(HttpTurns, GoByWhoWaitsLongest) {
  Turns turns;
  for (std::uint64_t id = 1; id <= 3; ++id) turns.add(ConnectionId{id});
  EXPECT_EQ(turns.pop(), ConnectionId{1});
  turns.add(ConnectionId{1});
  EXPECT_EQ(turns.pop(), ConnectionId{2});
  EXPECT_EQ(turns.pop(), ConnectionId{3});
  EXPECT_EQ(turns.pop(), ConnectionId{1});
  EXPECT_TRUE(turns.empty());
}

TEST(HttpTurns, WhoHasGoneHasNone) {
  Turns turns;
  for (std::uint64_t id = 1; id <= 3; ++id) turns.add(ConnectionId{id});
  turns.remove(ConnectionId{1});
  turns.remove(ConnectionId{3});
  EXPECT_EQ(turns.pop(), ConnectionId{2});
  EXPECT_TRUE(turns.empty());
}

TEST(HttpTurns, LeaveAsMuchTimeToOthersAsTheyTook) {
  Turns turns;
  const TimePoint start{1000s};
  EXPECT_LT(turns.due(), start);
  turns.made(start, start + 50ms);
  EXPECT_EQ(turns.due(), start + 100ms);
}

}  // namespace
}  // namespace sluice::http

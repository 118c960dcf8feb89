// How much of the window may be tokens.
#include <gtest/gtest.h>

#include "service/jobserver/token_pool.h"

namespace sluice::jobserver {
namespace {
using namespace sluice::testing;

TEST(TokenSpare, IsWhatNothingElseUsesAndHalfOfItInASharedWindow) {
  Status status;
  status.size = Points{100};
  status.usage = Points{70};
  EXPECT_EQ(token_spare(status, 0, Points{30}, TokenWindow::own), Points{60});
  EXPECT_EQ(token_spare(status, 0, Points{30}, TokenWindow::shared), Points{30});
  status.usage = Points{150};
  EXPECT_EQ(token_spare(status, 0, Points{30}, TokenWindow::own), Points{0});
  status.usage = Points{20};
  EXPECT_EQ(token_spare(status, 0, Points{30}, TokenWindow::own), Points{100}) << "a nested client";
}

TEST(TokenSpare, IsNothingWhereOthersWaitOrNothingMayStartOrTheWindowWouldGrowByIt) {
  Status open;
  open.size = Points{100};
  const auto spare = [](const Status& status, std::size_t asked) {
    return token_spare(status, asked, Points{0}, TokenWindow::own);
  };
  Status waited_for = open;
  waited_for.pending = 1;
  EXPECT_EQ(spare(waited_for, 0), Points{0});
  EXPECT_EQ(spare(waited_for, 1), Points{100}) << "a token's own request";
  waited_for.queues.push_back({});
  waited_for.queues.back().held = 1;
  EXPECT_EQ(spare(waited_for, 0), Points{100}) << "it waits for somebody's word, not for room";
  Status closed = open;
  closed.full = Refusal{};
  closed.full->code = RefusalCode::sensor;
  EXPECT_EQ(spare(closed, 0), Points{0});
  closed.full->code = RefusalCode::window;
  EXPECT_EQ(spare(closed, 0), Points{100});
  Status rfc = open;
  rfc.law = Law::rfc;
  EXPECT_EQ(spare(rfc, 0), Points{0});
}

TEST(TokenPressure, IsWhatIsOverTheWindowTheMemoryAndWhatOthersNeed) {
  Status status;
  status.size = Points{100};
  status.usage = Points{130};
  EXPECT_EQ(token_pressure(status, 0, Points{50}).points, Points{30});
  status.usage = Points{100};
  EXPECT_FALSE(token_pressure(status, 0, Points{50}).any());
  status.pending = 1;
  status.limiting = Refusal{};
  status.limiting->cost = Points{20};
  EXPECT_EQ(token_pressure(status, 0, Points{90}).points, Points{20});
  EXPECT_EQ(token_pressure(status, 0, Points{60}).points, Points{10}) << "half the window stays";
  EXPECT_EQ(token_pressure(status, 1, Points{90}).points, Points{0}) << "a token's own request";
  status.pending = 0;
  status.memory = MemoryStatus{};
  status.memory->promised = Bytes{100};
  status.memory->kept = Bytes{70};
  status.memory->others = Bytes{40};
  EXPECT_EQ(token_pressure(status, 0, Points{0}).memory, Bytes{10});
}

}  // namespace
}  // namespace sluice::jobserver

#include "service/token_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using Ask = TokenDecision::Ask;

constexpr TimePoint kStart{std::chrono::seconds(1000)};

TokenClient client(std::uint64_t id, std::size_t granted, std::size_t idle) {
  TokenClient client;
  client.id = id;
  client.granted = granted;
  client.idle = idle;
  client.most = 100;
  client.warm = true;
  return client;
}

TokenPressure points(std::int64_t value) { return {Points{value}, Bytes{0}}; }

std::vector<std::size_t> debts(const std::vector<TokenDecision>& decisions) {
  std::vector<std::size_t> result;
  for (const TokenDecision& each : decisions) result.push_back(each.debt);
  return result;
}

TEST(TokenPool, AsksForOneMoreWhereNoneIsIdle) {
  TokenPool pool;
  const auto decisions =
      pool.decide({client(1, 0, 0), client(2, 3, 0), client(3, 3, 1)}, {}, kStart);
  EXPECT_EQ(decisions[0].ask, Ask::one_more);
  EXPECT_EQ(decisions[1].ask, Ask::one_more);
  EXPECT_EQ(decisions[2].ask, Ask::leave);
  EXPECT_EQ(debts(decisions), (std::vector<std::size_t>{0, 0, 0}));
}

TEST(TokenPool, AColdClientGetsNone) {
  TokenPool pool;
  TokenClient cold = client(1, 0, 0);
  cold.warm = false;
  EXPECT_EQ(pool.decide({cold}, {}, kStart)[0].ask, Ask::leave);
}

TEST(TokenPool, NobodyGetsMoreThanItsMost) {
  TokenPool pool;
  TokenClient full = client(1, 3, 0);
  full.most = 3;
  EXPECT_EQ(pool.decide({full}, {}, kStart)[0].ask, Ask::leave);
  full.most = 1;
  EXPECT_EQ(pool.decide({full}, {}, kStart)[0].debt, 2u);
}

TEST(TokenPool, WaitsForWhatItHasAskedFor) {
  TokenPool pool;
  TokenClient waiting = client(1, 2, 0);
  waiting.asked = 1;
  EXPECT_EQ(pool.decide({waiting}, {}, kStart)[0].ask, Ask::leave);
  waiting.idle = 1;
  EXPECT_EQ(pool.decide({waiting}, {}, kStart)[0].ask, Ask::withdraw);
}

TEST(TokenPool, TakesBackWhatWasIdleAllTheTime) {
  TokenPool pool;
  pool.decide({client(1, 4, 3)}, {}, kStart);
  pool.decide({client(1, 4, 1)}, {}, kStart + milliseconds(200));
  EXPECT_EQ(pool.decide({client(1, 4, 3)}, {}, kStart + milliseconds(499))[0].take_back, 0u);
  EXPECT_EQ(pool.decide({client(1, 4, 3)}, {}, kStart + milliseconds(500))[0].take_back, 1u);
}

TEST(TokenPool, TriesAgainLaterAndLaterUntilATokenIsUsed) {
  TokenPool pool;
  TimePoint now = kStart;
  const auto took_back_after = [&](std::size_t idle) {
    pool.decide({client(1, 1, idle)}, {}, now);
    now += milliseconds(500);
    return pool.decide({client(1, 1, idle)}, {}, now)[0].take_back;
  };
  const auto asks_after = [&](milliseconds wait) {
    return pool.decide({client(1, 0, 0)}, {}, now + wait)[0].ask;
  };
  ASSERT_EQ(took_back_after(1), 1u);
  EXPECT_EQ(asks_after(milliseconds(249)), Ask::leave);
  EXPECT_EQ(asks_after(milliseconds(250)), Ask::one_more);
  now += milliseconds(250);
  ASSERT_EQ(took_back_after(1), 1u);
  EXPECT_EQ(asks_after(milliseconds(499)), Ask::leave);
  EXPECT_EQ(asks_after(milliseconds(500)), Ask::one_more);
  now += milliseconds(500);
  pool.decide({client(1, 1, 0)}, {}, now);
  ASSERT_EQ(took_back_after(1), 1u);
  EXPECT_EQ(asks_after(milliseconds(249)), Ask::leave);
  EXPECT_EQ(asks_after(milliseconds(250)), Ask::one_more);
}

TEST(TokenPool, GivesUpIdleTokensFirstThenThoseOfTheRichest) {
  TokenPool pool;
  const std::vector<TokenClient> clients{client(1, 6, 0), client(2, 2, 2), client(3, 6, 0)};
  const auto decisions = pool.decide(clients, points(35), kStart);
  EXPECT_EQ(debts(decisions), (std::vector<std::size_t>{1, 2, 1}));
  EXPECT_EQ(decisions[1].take_back, 2u);
  EXPECT_EQ(decisions[0].take_back, 0u);
  for (const TokenDecision& each : decisions) EXPECT_NE(each.ask, Ask::one_more);
}

TEST(TokenPool, GivesUpTokensUntilTheMemoryIsEnough) {
  TokenPool pool;
  TokenClient heavy = client(1, 3, 0);
  heavy.memory = Bytes{1000};
  EXPECT_EQ(pool.decide({heavy}, {Points{0}, Bytes{1001}}, kStart)[0].debt, 2u);
}

TEST(TokenPool, OwesNoMoreThanThereIs) {
  TokenPool pool;
  const auto decisions = pool.decide({client(1, 2, 1), client(2, 0, 0)}, points(1000), kStart);
  EXPECT_EQ(debts(decisions), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(decisions[0].take_back, 1u);
}

TEST(TokenPool, TheRichestGivesOneToWhoWaitsInVain) {
  TokenPool pool;
  TokenClient poor = client(2, 1, 0);
  poor.asked = 1;
  EXPECT_EQ(debts(pool.decide({client(1, 5, 0), poor}, {}, kStart)),
            (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(debts(pool.decide({client(1, 5, 0), poor}, {}, kStart + milliseconds(100))),
            (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(debts(pool.decide({client(1, 2, 0), poor}, {}, kStart + milliseconds(200))),
            (std::vector<std::size_t>{0, 0}));
}

/// Clients that take and return tokens at random, a window that moves at random, and a governor
/// that admits what fits.
class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  void step() {
    now_ += milliseconds(draw(1, 200));
    if (draw(0, 9) == 0) size_ = Points{draw(0, 20) * 10};
    for (Simulated& each : clients_) each.live(*this);
    arrive_and_leave();
    decide();
  }

  void check() const {
    std::size_t out = 0;
    for (const Simulated& each : clients_) {
      ASSERT_EQ(each.permits, each.seen.idle + each.hands);
      out += each.permits;
    }
    ASSERT_EQ(usage(), Points{static_cast<std::int64_t>(out + clients_.size()) * 10});
  }

  /// Nobody moves but the pool: what lies idle is read back, what is asked for is admitted.
  void settle() {
    for (int round = 0; round < 400; ++round) {
      now_ += milliseconds(50);
      for (Simulated& each : clients_) each.finish_all();
      decide();
    }
    for (const Simulated& each : clients_) EXPECT_LE(each.permits, 1u);
  }

  Points usage() const {
    Points sum{0};
    for (const Simulated& each : clients_) {
      sum += Points{10 + 10 * static_cast<std::int64_t>(each.permits)};
    }
    return sum;
  }

 private:
  struct Simulated {
    TokenClient seen;
    std::size_t hands = 0, permits = 0;

    void live(World& world) {
      const auto takes = std::min<std::size_t>(seen.idle, world.draw(0, 2));
      seen.idle -= takes;
      hands += takes;
      const auto gives = std::min<std::size_t>(hands, world.draw(0, 2));
      hands -= gives;
      seen.idle += gives;
    }
    void finish_all() { seen.idle += std::exchange(hands, 0); }
  };

  int draw(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  void arrive_and_leave() {
    if (clients_.size() < 5 && draw(0, 4) == 0) {
      Simulated arrived;
      arrived.seen = client(++last_id_, 0, 0);
      arrived.seen.warm = draw(0, 3) > 0;
      arrived.seen.most = static_cast<std::size_t>(draw(0, 12));
      clients_.push_back(arrived);
    }
    if (!clients_.empty() && draw(0, 19) == 0) clients_.erase(clients_.begin());  // Killed.
  }

  void decide() {
    std::vector<TokenClient> looks;
    for (const Simulated& each : clients_) looks.push_back(each.seen);
    const TokenPressure pressure = points(std::max<std::int64_t>(0, (usage() - size_).value));
    const auto decisions = pool_.decide(looks, pressure, now_);
    ASSERT_EQ(decisions.size(), clients_.size());
    std::size_t owed = 0, all = 0;
    for (std::size_t at = 0; at < clients_.size(); ++at) {
      owed += decisions[at].debt;
      all += clients_[at].permits;
      apply(clients_[at], decisions[at]);
    }
    const auto needed = static_cast<std::size_t>((pressure.points.value + 9) / 10);
    EXPECT_GE(owed, std::min(needed, all));
  }

  void apply(Simulated& one, const TokenDecision& decision) {
    ASSERT_EQ(decision.id, one.seen.id);
    ASSERT_LE(decision.target, one.seen.granted);
    ASSERT_EQ(decision.debt, one.seen.granted - decision.target);
    ASSERT_LE(decision.take_back, std::min(decision.debt, one.seen.idle));
    one.seen.idle -= decision.take_back;
    one.permits = one.seen.granted = one.seen.granted - decision.take_back;
    if (decision.ask == Ask::withdraw) one.seen.asked = 0;
    if (decision.ask == Ask::one_more) {
      ASSERT_TRUE(one.seen.warm);
      ASSERT_EQ(one.seen.asked, 0u);
      ASSERT_LT(one.seen.granted, one.seen.most);
      one.seen.asked = 1;
    }
    if (one.seen.asked == 0 || usage() + Points{10} > size_) return;
    one.seen.asked = 0;
    one.permits = ++one.seen.granted;
    ++one.seen.idle;
  }

  std::mt19937 random_;
  TokenPool pool_;
  TimePoint now_ = kStart;
  Points size_{100};
  std::uint64_t last_id_ = 0;
  std::vector<Simulated> clients_;
};

TEST(TokenPool, EveryTokenIsAccountedForInAnyHistory) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    World world(seed);
    for (int step = 0; step < 400; ++step) {
      world.step();
      ASSERT_NO_FATAL_FAILURE(world.check()) << "seed " << seed << ", step " << step;
    }
    world.settle();
  }
}

}  // namespace
}  // namespace sluice

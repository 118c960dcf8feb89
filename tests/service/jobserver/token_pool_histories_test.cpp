// The pool against arbitrary histories: no token is lost or given out twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "service/jobserver/token_pool.h"

namespace sluice::jobserver {
namespace {

using std::chrono::milliseconds;

/// The free part of the window that idle tokens may hold.
enum class Spare { nothing, all };

/// Clients that take and return tokens at random, a window that changes at random, and a governor
/// that admits what fits.
class World {
 public:
  World(unsigned seed, Spare spare) : random_(seed), spare_(spare) {}

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
      ASSERT_EQ(each.permits, each.seen.idle + each.held);
      out += each.permits;
    }
    ASSERT_EQ(usage(), Points{static_cast<std::int64_t>(out + clients_.size()) * 10});
  }

  /// Only the pool acts, and others want everything: the pool takes idle tokens back, and the
  /// governor admits what the pool requests.
  void settle() {
    spare_ = Spare::nothing;
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
    std::size_t held = 0, permits = 0;

    void live(World& world) {
      const auto takes = std::min<std::size_t>(seen.idle, world.draw(0, 2));
      seen.idle -= takes;
      held += takes;
      const auto gives = std::min<std::size_t>(held, world.draw(0, 2));
      held -= gives;
      seen.idle += gives;
    }
    void finish_all() { seen.idle += std::exchange(held, 0); }
  };

  int draw(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  void arrive_and_leave() {
    if (clients_.size() < 5 && draw(0, 4) == 0) {
      Simulated arrived;
      arrived.seen.id = ++last_id_;
      arrived.seen.warm = draw(0, 3) > 0;
      arrived.seen.most = static_cast<std::size_t>(draw(0, 12));
      clients_.push_back(arrived);
    }
    if (!clients_.empty() && draw(0, 19) == 0) clients_.erase(clients_.begin());  // Killed.
  }

  void decide() {
    std::vector<TokenClient> looks;
    for (const Simulated& each : clients_) looks.push_back(each.seen);
    TokenPressure pressure;
    pressure.points = std::max(Points{0}, usage() - size_);
    if (spare_ == Spare::all) pressure.spare = std::max(Points{0}, size_ - usage() + idle());
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
    if (decision.ask == TokenDecision::Ask::withdraw) one.seen.asked = 0;
    if (decision.ask == TokenDecision::Ask::one_more) {
      ASSERT_TRUE(one.seen.warm);
      ASSERT_EQ(one.seen.asked, 0u);
      ASSERT_LT(one.seen.granted, one.seen.most);
      one.seen.asked = 1;
    }
    offer(one, decision);
    if (one.seen.asked == 0 || usage() + Points{10} > size_) return;
    one.seen.asked = 0;
    one.permits = ++one.seen.granted;
    ++one.seen.idle;
  }

  /// Offers nothing to a client that has its maximum or owes tokens. An offer that fits is granted
  /// at once.
  void offer(Simulated& one, const TokenDecision& decision) {
    if (decision.offer == 0) return;
    ASSERT_TRUE(one.seen.warm);
    ASSERT_EQ(decision.debt, 0u);
    ASSERT_NE(spare_, Spare::nothing);
    ASSERT_LE(one.seen.granted + decision.offer, one.seen.most);
    for (std::size_t token = 0; token < decision.offer; ++token) {
      if (usage() + Points{10} > size_) return;
      one.permits = ++one.seen.granted;
      ++one.seen.idle;
    }
  }

  Points idle() const {
    std::int64_t tokens = 0;
    for (const Simulated& each : clients_) tokens += static_cast<std::int64_t>(each.seen.idle);
    return Points{10 * tokens};
  }

  std::mt19937 random_;
  Spare spare_;
  TokenPool pool_;
  TimePoint now_{std::chrono::seconds(1000)};
  Points size_{100};
  std::uint64_t last_id_ = 0;
  std::vector<Simulated> clients_;
};

class TokenPoolHistories : public ::testing::TestWithParam<Spare> {};

TEST_P(TokenPoolHistories, AccountForEveryToken) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    World world(seed, GetParam());
    for (int step = 0; step < 400; ++step) {
      world.step();
      ASSERT_NO_FATAL_FAILURE(world.check()) << "seed " << seed << ", step " << step;
    }
    world.settle();
  }
}

INSTANTIATE_TEST_SUITE_P(Any, TokenPoolHistories, ::testing::Values(Spare::nothing, Spare::all));

}  // namespace
}  // namespace sluice::jobserver

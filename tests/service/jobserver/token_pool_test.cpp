#include "service/jobserver/token_pool.h"

#include <gtest/gtest.h>

namespace sluice::jobserver {
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

TEST(TokenPool, AClientThatWaitsGetsAsManyAgainAtOnceWhereTheGovernorLooksAtTheCpus) {
  EXPECT_EQ(tokens_at_once(client(1, 0, 0)), 4u);
  EXPECT_EQ(tokens_at_once(client(1, 20, 0)), 21u);
  EXPECT_EQ(tokens_at_once(client(1, 90, 0)), 10u) << "its most is 100";
}

TEST(TokenPool, AClientWhoseJobsSleepGetsHundredsInThreePolls) {
  TokenClient sleeper = client(1, 0, 0);
  sleeper.sleeps = true;
  sleeper.most = 1000;
  EXPECT_EQ(tokens_at_once(sleeper), 64u);
  sleeper.granted = 64;
  EXPECT_EQ(tokens_at_once(sleeper), 192u);
  sleeper.most = 100;
  EXPECT_EQ(tokens_at_once(sleeper), 36u) << "its most";
}

TEST(TokenPool, WhatDoesNotFitAtOnceWaitsInLine) {
  TokenPool pool;
  TokenPressure many;
  many.pace = TokenPace::many;
  TimePoint now = kStart;
  std::size_t granted = 1;
  for (int taken = 0; taken < 3; ++taken) {
    pool.decide({client(1, granted, 0)}, {}, now += milliseconds(20));
    pool.decide({client(1, granted + 1, 1)}, {}, now += milliseconds(20));
    ++granted;
  }
  const auto one = pool.decide({client(1, granted, 0)}, {}, now += milliseconds(20))[0];
  EXPECT_EQ(one.offer, 0u);
  EXPECT_EQ(one.ask, Ask::one_more);
  const auto several = pool.decide({client(1, granted, 0)}, many, now += milliseconds(20))[0];
  EXPECT_EQ(several.offer, tokens_at_once(client(1, granted, 0)));
  EXPECT_EQ(several.ask, Ask::one_more);
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

TokenPressure spare(std::int64_t value) { return {Points{0}, Bytes{0}, Points{value}}; }

TEST(TokenPool, ALazyClientIsOfferedAllThatIsToSpareAtOnce) {
  TokenPool pool;
  const auto decision = pool.decide({client(1, 3, 1)}, spare(59), kStart)[0];
  EXPECT_EQ(decision.offer, 4u) << "beside the one that lies there";
  EXPECT_EQ(decision.ask, Ask::leave);
}

TEST(TokenPool, WhatIsOfferedIsNeverMoreThanItsMostAndNothingToAColdClient) {
  TokenClient limited = client(1, 3, 0);
  limited.most = 5;
  EXPECT_EQ(tokens_to_offer(limited, Points{1000}), 2u);
  limited.most = 2;
  EXPECT_EQ(tokens_to_offer(limited, Points{1000}), 0u);
  limited.most = 5;
  limited.warm = false;
  EXPECT_EQ(tokens_to_offer(limited, Points{1000}), 0u);
}

TEST(TokenPool, ALazyClientKeepsWhatIsToSpareUntilItIsWanted) {
  TokenPool pool;
  TimePoint now = kStart;
  for (; now < kStart + std::chrono::minutes(1); now += milliseconds(20)) {
    ASSERT_EQ(pool.decide({client(1, 4, 4)}, spare(40), now)[0].debt, 0u);
  }
  EXPECT_EQ(pool.decide({client(1, 4, 4)}, spare(25), now)[0].take_back, 2u);
  EXPECT_EQ(pool.decide({client(1, 2, 2)}, spare(0), now)[0].take_back, 2u);
}

TEST(TokenPool, WhatCameLastStaysAsLongAsAnyTokenWhenTheRestIsWanted) {
  TokenPool pool;
  pool.decide({client(1, 3, 3)}, spare(100), kStart);
  pool.decide({client(1, 3, 3)}, spare(100), kStart + milliseconds(500));
  pool.decide({client(1, 4, 4)}, spare(100), kStart + milliseconds(600));
  const auto at = [&](int ms, std::size_t tokens) {
    return pool.decide({client(1, tokens, tokens)}, spare(0), kStart + milliseconds(ms));
  };
  EXPECT_EQ(at(620, 4)[0].take_back, 3u);
  EXPECT_EQ(at(999, 1)[0].take_back, 0u);
  EXPECT_EQ(at(1500, 1)[0].take_back, 1u);
}

/// One client as the jobserver sees it: it asks for a token, which comes when the test grants it.
struct Probe {
  TokenPool pool;
  TimePoint now = kStart;
  std::size_t granted = 3;

  TokenDecision sample(std::size_t idle, Points to_spare = Points{0}) {
    return pool.decide({client(1, granted, idle)}, spare(to_spare.value), now)[0];
  }
  /// No token is idle; one arrives and is taken after `wait`.
  void take_after(milliseconds wait) {
    sample(0);
    ++granted;
    sample(1);
    now += wait;
    sample(0);
    now += milliseconds(20);
  }
  bool is_offered_more() { return sample(0, Points{1000}).offer > 0; }
};

TEST(TokenPool, WhoWasSeenToWaitTwiceIsOfferedNothingUntilItTakesATokenLate) {
  Probe probe;
  probe.take_after(milliseconds(20));
  EXPECT_TRUE(probe.is_offered_more()) << "it may have been chance";
  Probe eager;
  eager.take_after(milliseconds(20));
  eager.take_after(milliseconds(50));
  EXPECT_FALSE(eager.is_offered_more());
  EXPECT_EQ(eager.sample(0, Points{1000}).ask, Ask::one_more);
  eager.take_after(milliseconds(51));
  EXPECT_TRUE(eager.is_offered_more());
}

TEST(TokenPool, TokensThatWereThereAlreadySayNothingOfWhoTakesThem) {
  Probe probe;
  for (int time = 0; time < 5; ++time) {
    probe.sample(2);
    ++probe.granted;
    probe.sample(3);
    probe.now += milliseconds(20);
    probe.sample(0);
    probe.now += milliseconds(20);
  }
  EXPECT_TRUE(probe.is_offered_more());
}

TEST(TokenPool, WhoWaitsForItsTokensGivesBackIdleOnesWhateverIsToSpare) {
  Probe probe;
  probe.take_after(milliseconds(20));
  probe.take_after(milliseconds(20));
  probe.sample(2, Points{1000});
  probe.now += milliseconds(500);
  EXPECT_EQ(probe.sample(2, Points{1000}).take_back, 2u);
}

TEST(TokenPool, WhatIsOfferedInVainIsAskedForInLineWhereNoneIsIdleAndPutOffOtherwise) {
  Probe poor;
  ASSERT_GT(poor.sample(0, Points{30}).offer, 0u);
  const TokenDecision again = poor.sample(0, Points{30});
  EXPECT_EQ(again.offer, 0u);
  EXPECT_EQ(again.ask, Ask::one_more);
  ++poor.granted;
  EXPECT_EQ(poor.sample(1, Points{30}).offer, 2u) << "there is room again";

  Probe rich;
  ASSERT_EQ(rich.sample(1, Points{30}).offer, 2u);
  EXPECT_EQ(rich.sample(1, Points{30}).offer, 0u);
  rich.now += milliseconds(249);
  EXPECT_EQ(rich.sample(1, Points{30}).offer, 0u);
  rich.now += milliseconds(1);
  EXPECT_EQ(rich.sample(1, Points{30}).offer, 2u);
}

TEST(TokenPool, LazyClientsGetEqualPartsOfWhatIsToSpare) {
  TokenPool pool;
  const auto decisions = pool.decide({client(1, 0, 0), client(2, 1, 1)}, spare(80), kStart);
  EXPECT_EQ(decisions[0].offer, 4u);
  EXPECT_EQ(decisions[1].offer, 3u);
}

TEST(TokenPool, IdleTokensGoBackWhileAnotherClientWaitsInVain) {
  TokenPool pool;
  TokenClient waiting = client(2, 1, 0);
  const auto sample = [&](int ms) {
    return pool.decide({client(1, 4, 4), waiting}, spare(200), kStart + milliseconds(ms))[0];
  };
  sample(0);
  ASSERT_EQ(sample(1000).debt, 0u);
  waiting.asked = 1;
  EXPECT_EQ(sample(1020).debt, 0u) << "its token may be on its way";
  EXPECT_EQ(sample(1040).take_back, 4u);
}

}  // namespace
}  // namespace sluice::jobserver

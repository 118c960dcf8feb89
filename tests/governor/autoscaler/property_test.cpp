// Properties that hold for every fleet.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fleet.h"

namespace sluice::testing {
namespace {

constexpr int kRuns = 1000;

/// Random fleets with everything an observation can contain, and random valid options.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  bool one_in(int times) { return number(1, times) == 1; }

  AutoscaleOptions options() {
    AutoscaleOptions options;
    options.rules = one_in(2) ? ScaleRules::starcluster : ScaleRules::window;
    options.max = number(1, 12);
    options.kill_master = one_in(4);
    if (one_in(2)) options.min = number(0, *options.max);
    options.add = number(1, 4);
    options.stabilise = std::chrono::seconds(number(0, 300));
    options.wait = std::chrono::seconds(number(0, 1000));
    options.billing = std::chrono::minutes(one_in(3) ? 0 : 60);
    options.smooth = std::chrono::minutes(number(0, 20));
    if (one_in(3)) options.slots_each = number(1, 8);
    EXPECT_FALSE(check_autoscale(options));
    return options;
  }

  Executor executor(int index) {
    Executor executor;
    executor.id = "node" + std::to_string(index);
    executor.master = index == 0;
    executor.slots = number(0, 8);
    executor.used = one_in(2) ? 0 : number(0, executor.slots);
    executor.up = std::chrono::minutes(number(-5, 130));
    executor.booting = one_in(6);
    executor.draining = one_in(8);
    executor.blind = one_in(8);
    executor.window = Points{number(0, 3) * 30};
    executor.usage = Points{executor.used > 0 ? number(0, 90) : 0};
    if (knee_) executor.fullness = static_cast<Fullness>(number(1, 3));
    return executor;
  }

  Observation observation() {
    Observation seen;
    knee_ = one_in(2);
    const int executors = number(0, 12), jobs = one_in(3) ? 0 : number(0, 20);
    for (int i = 0; i < executors; ++i) seen.executors.push_back(executor(i));
    std::shuffle(seen.executors.begin(), seen.executors.end(), random_);
    for (int i = 0; i < jobs; ++i) {
      seen.queued.push_back({number(1, 4), std::chrono::seconds(number(-10, 2000)), one_in(5),
                             Points{number(0, 120)}});
    }
    return seen;
  }

 private:
  std::mt19937_64 random_;
  bool knee_ = false;  ///< Whether executors say if they are full.
};

/// One decision with a past: earlier observations, and perhaps a change.
struct FleetCase {
  AutoscaleOptions options;
  AutoscaleState state;
  Observation now_seen;
  ScaleDecision decision;

  ScaleDecision with(const Observation& other) const {
    return decide(other, state, options, kNow).decision;
  }
};

FleetCase random_case(std::uint64_t seed) {
  Chance chance(seed);
  FleetCase made{chance.options(), start_autoscaler(kNow - 1h), {}, {}};
  for (int i = 5; i > 0; --i) {
    const TimePoint then = kNow - std::chrono::seconds(60 * i);
    ScaleStep step = decide(chance.observation(), made.state, made.options, then);
    made.state = step.decision.changes() ? after_change(step.state, then) : step.state;
  }
  made.now_seen = chance.observation();
  made.decision = made.with(made.now_seen);
  return made;
}

int serving(const Observation& seen) {
  return static_cast<int>(std::count_if(seen.executors.begin(), seen.executors.end(),
                                        [](const Executor& one) { return !one.draining; }));
}

template <typename Check>
void for_each_case(Check check) {
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(random_case(seed), Chance(seed + 1'000'000));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(AutoscalerProperties, NeverBeyondTheBoundsAndNeverBoth) {
  int adds = 0, removals = 0;
  for_each_case([&](const FleetCase& c, Chance) {
    const int there = static_cast<int>(c.now_seen.executors.size());
    const int removed = static_cast<int>(c.decision.remove.size());
    EXPECT_TRUE(c.decision.add == 0 || removed == 0);
    EXPECT_GE(c.decision.add, 0);
    EXPECT_LE(c.decision.add, c.options.add);
    EXPECT_TRUE(c.decision.add == 0 || there + c.decision.add <= c.options.most());
    const int least = c.decision.reason == ScaleReason::done ? 0 : c.options.least();
    EXPECT_TRUE(removed == 0 || serving(c.now_seen) - removed >= least);
    adds += c.decision.add > 0;
    removals += removed > 0;
  });
  EXPECT_GT(adds, kRuns / 20) << "the cases are worth something";
  EXPECT_GT(removals, kRuns / 50);
}

TEST(AutoscalerProperties, OnlyWhatIsIdleSeenAndDueGoes) {
  for_each_case([](const FleetCase& c, Chance) {
    for (const std::string& id : c.decision.remove) {
      const auto gone = std::find_if(c.now_seen.executors.begin(), c.now_seen.executors.end(),
                                     [&](const Executor& one) { return one.id == id; });
      ASSERT_NE(gone, c.now_seen.executors.end());
      EXPECT_TRUE(gone->used == 0 && gone->usage == Points{0});
      EXPECT_FALSE(gone->booting || gone->draining || gone->blind);
      EXPECT_TRUE(!gone->master || c.decision.reason == ScaleReason::done);
      const Duration period = c.options.billing > 0s ? c.options.billing : Duration::max();
      EXPECT_GE(gone->up % period, c.options.due_after());
    }
  });
}

TEST(AutoscalerProperties, MoreDemandNeverAddsLessNorRemovesMore) {
  for_each_case([](const FleetCase& c, Chance chance) {
    Observation more = c.now_seen;
    more.queued.push_back({chance.number(1, 6), std::chrono::seconds(chance.number(0, 2000)), false,
                           Points{chance.number(0, 200)}});
    const ScaleDecision then = c.with(more);
    EXPECT_GE(then.add, c.decision.add);
    EXPECT_LE(then.remove.size(), c.decision.remove.size());
  });
}

TEST(AutoscalerProperties, ALostScrapeNeverRemovesNorBuys) {
  for_each_case([](const FleetCase& c, Chance chance) {
    if (c.now_seen.executors.empty()) return;
    Observation lost = c.now_seen;
    const int last = static_cast<int>(lost.executors.size()) - 1;
    lost.executors[static_cast<std::size_t>(chance.number(0, last))].blind = true;
    const ScaleDecision then = c.with(lost);
    EXPECT_LE(then.add, c.decision.add);
    for (const std::string& id : then.remove) {
      EXPECT_NE(std::find(c.decision.remove.begin(), c.decision.remove.end(), id),
                c.decision.remove.end())
          << id << " goes because another was not seen";
    }
  });
}

TEST(AutoscalerProperties, TheSameAgainAndTheOrderOfWhatIsSeenDoesNotMatter) {
  for_each_case([](const FleetCase& c, Chance) {
    EXPECT_EQ(c.with(c.now_seen), c.decision);
    Observation reversed = c.now_seen;
    std::reverse(reversed.executors.begin(), reversed.executors.end());
    std::reverse(reversed.queued.begin(), reversed.queued.end());
    EXPECT_EQ(action_of(c.with(reversed)), action_of(c.decision));
  });
}

TEST(AutoscalerProperties, AShiftOfAllTimesChangesNothing) {
  for_each_case([](const FleetCase& c, Chance chance) {
    const Duration shift = std::chrono::hours(chance.number(-2000, 2000));
    AutoscaleState shifted = c.state;
    shifted.started += shift;
    shifted.mean_at += shift;
    if (shifted.last_change) *shifted.last_change += shift;
    if (shifted.full_at) *shifted.full_at += shift;
    if (shifted.shrunk_since) *shifted.shrunk_since += shift;
    EXPECT_EQ(decide(c.now_seen, shifted, c.options, kNow + shift).decision, c.decision);
  });
}

TEST(AutoscalerProperties, NothingIsDoneBlindly) {
  for_each_case([](const FleetCase& c, Chance) {
    Observation blind = c.now_seen;
    blind.blind = true;
    EXPECT_EQ(answer_of(c.with(blind)), "none, blind");
  });
}

}  // namespace
}  // namespace sluice::testing

// What another configuration would do with what really runs and waits.
#include "service/daemon/shadow_core.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::shadow_test {
namespace {

constexpr TimePoint kBegin{std::chrono::hours(1)};

TimePoint at_second(double seconds) {
  return kBegin + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

/// A window that nothing changes.
GovernorOptions fixed(std::int64_t size) {
  GovernorOptions options;
  options.window.law = Law::rfc;
  options.window.initial = options.window.minimum = options.window.maximum = Points{size};
  options.window.interval = std::chrono::seconds(1);
  options.starting = Presence::off;
  return options;
}

JobSnapshot waiting(std::uint64_t number, std::int64_t cost = 10) {
  JobSnapshot job;
  job.id = JobId{number};
  job.request.cost = Points{cost};
  job.arrived = at_second(static_cast<double>(number) / 1000);
  job.order = {number, static_cast<std::int64_t>(number), 0};
  return job;
}

JobSnapshot running(std::uint64_t number, std::int64_t cost = 10) {
  JobSnapshot job = waiting(number, cost);
  job.admitted = job.arrived;
  return job;
}

std::vector<std::uint64_t> numbers(const std::vector<JobId>& jobs) {
  std::vector<std::uint64_t> numbers;
  for (const JobId job : jobs) numbers.push_back(job.value);
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

class ShadowTest : public ::testing::Test {
 protected:
  ShadowCore shadow(GovernorOptions options) {
    return {std::move(options), [](const JobRequest&) { return Points{10}; }, {}, at_second(0)};
  }
  /// What really is, a second later than before.
  RealState real() {
    RealState real;
    real.now = at_second(++now_);
    return real;
  }
  RealState with(std::vector<JobSnapshot> began, std::vector<JobSnapshot> waits = {}) {
    RealState state = real();
    state.began = std::move(began);
    state.waiting = std::move(waits);
    return state;
  }

 private:
  double now_ = 0;
};

TEST_F(ShadowTest, ALargerWindowWouldStartThoseWaitingJobsThatFit) {
  ShadowCore larger = shadow(fixed(30));
  const ShadowVerdict verdict =
      larger.next(with({running(1)}, {waiting(2), waiting(3), waiting(4)}));
  EXPECT_EQ(verdict.size, Points{30});
  EXPECT_EQ(verdict.usage, Points{10}) << "what really runs, not what it would start";
  EXPECT_EQ(numbers(verdict.starts), (Numbers{2, 3}));
}

TEST_F(ShadowTest, WhatItWouldStartIsNotTakenToRun) {
  ShadowCore larger = shadow(fixed(30));
  for (int i = 0; i < 3; ++i) {
    const ShadowVerdict verdict = larger.next(with(
        i == 0 ? std::vector{running(1)} : std::vector<JobSnapshot>{}, {waiting(2), waiting(3)}));
    EXPECT_EQ(numbers(verdict.starts), (Numbers{2, 3})) << i;
    EXPECT_EQ(verdict.usage, Points{10}) << i;
  }
  EXPECT_EQ(larger.running().size(), 1U);
}

TEST_F(ShadowTest, ASmallerWindowWouldLetWaitWhatHasBegun) {
  ShadowCore smaller = shadow(fixed(20));
  smaller.next(with({running(1)}));
  const ShadowVerdict verdict = smaller.next(with({running(2), running(3)}));
  EXPECT_EQ(verdict.began, 2U);
  EXPECT_EQ(numbers(verdict.holds), (Numbers{3}));
  EXPECT_EQ(verdict.usage, Points{30}) << "it runs all the same";
  EXPECT_TRUE(smaller.next(with({})).holds.empty()) << "each is told once";
}

TEST_F(ShadowTest, WhatRanAtItsBeginIsNotCompared) {
  ShadowCore smaller = shadow(fixed(10));
  const ShadowVerdict verdict = smaller.next(with({running(1), running(2)}));
  EXPECT_EQ(verdict.began, 0U);
  EXPECT_TRUE(verdict.holds.empty());
  EXPECT_EQ(verdict.usage, Points{20});
}

TEST_F(ShadowTest, JobsThatRanAtItsBeginCostAtMostAllCpus) {
  GovernorOptions options = fixed(20);
  options.window.law = Law::knee;
  Prediction learned;
  learned.cost = Points{20};
  learned.least_cost = Points{1};
  ShadowCore same{std::move(options), [=](const JobRequest&) { return learned; }, {}, at_second(0)};
  JobSnapshot job = running(1);
  job.request.cost.reset();
  RealState state = with({job});
  UseCounters::Level host;
  host.where = "host";
  host.available = std::chrono::seconds(1);
  state.use.at = state.now;
  state.use.levels = {host};
  EXPECT_EQ(same.next(std::move(state)).usage, Points{10});
}

TEST_F(ShadowTest, TheSameConfigurationWouldDoTheSame) {
  ShadowCore same = shadow(fixed(20));
  same.next(with({running(1), running(2)}, {waiting(3), waiting(4)}));
  RealState next = with({running(3)}, {waiting(4)});
  next.ended = {JobId{1}};
  const ShadowVerdict verdict = same.next(std::move(next));
  EXPECT_TRUE(verdict.starts.empty());
  EXPECT_TRUE(verdict.holds.empty());
  EXPECT_EQ(verdict.usage, Points{20});
}

TEST_F(ShadowTest, APausedGovernorStartsNothing) {
  ShadowCore larger = shadow(fixed(30));
  RealState paused = with({}, {waiting(1)});
  paused.operated = Switch::paused;
  EXPECT_TRUE(larger.next(std::move(paused)).starts.empty());
  RealState queue = with({running(1)}, {waiting(2)});
  queue.queues = {{"default", Switch::paused}};
  EXPECT_TRUE(larger.next(std::move(queue)).starts.empty());
  RealState open = with({}, {waiting(2)});
  open.queues = {{"default", Switch::running}};
  EXPECT_EQ(numbers(larger.next(std::move(open)).starts), (Numbers{2}));
}

TEST_F(ShadowTest, ItsOwnSensorsDecide) {
  const SensorPolicy policy{Acts::congestion, 0.9, OnError::hold, std::chrono::seconds(10)};
  ShadowCore strict(
      fixed(30), [](const JobRequest&) { return Points{10}; }, {{"load", policy, {}, {}}},
      at_second(0));
  Reading reading;
  reading.conditions.push_back({"load1", 3, 2, std::nullopt, Unit::count, 1.5});
  RealState state = with({running(1)}, {waiting(2)});
  state.sweep = {{{state.now, reading}, {}}};
  strict.next(std::move(state));
  const ShadowVerdict verdict = strict.next(with({}, {waiting(2)}));
  EXPECT_EQ(verdict.red, std::vector<std::string>{"load"});
  EXPECT_TRUE(verdict.starts.empty());
}

TEST_F(ShadowTest, ItsLawMovesItsWindow) {
  GovernorOptions options = fixed(10);
  options.window.law = Law::adaptive;
  options.window.maximum = options.window.threshold = Points{80};
  options.window.round = std::chrono::seconds(1);
  options.window.cut_settle = std::chrono::seconds(60);
  options.window.idle_restart = std::chrono::hours(1);
  ShadowCore adaptive = shadow(options);
  adaptive.next(with({running(1)}, {waiting(2), waiting(3)}));
  Points before{10};
  for (int i = 0; i < 3; ++i) {
    const Points size =
        adaptive
            .next(with({}, {waiting(2), waiting(3), waiting(4), waiting(5), waiting(6), waiting(7),
                            waiting(8), waiting(9), waiting(10), waiting(11)}))
            .size;
    EXPECT_GE(size, before);
    before = size;
  }
  EXPECT_GT(before, Points{10}) << "jobs would still wait, and nothing is red";
}

TEST_F(ShadowTest, SaysWhatItWouldRefuseAndWhatItLacks) {
  ShadowCore plain = shadow(fixed(30));
  JobSnapshot begun = running(1), waits = waiting(2), wide = waiting(3, 90);
  begun.request.queue = waits.request.queue = "nightly";
  const ShadowVerdict verdict = plain.next(with({begun}, {waits, wide, waiting(4)}));
  EXPECT_EQ(numbers(verdict.refuses), (Numbers{2, 3}));
  EXPECT_NE(verdict.refusal.find("queue"), std::string::npos) << verdict.refusal;
  EXPECT_EQ(numbers(verdict.starts), (Numbers{4}));
  ASSERT_EQ(plain.lacking().size(), 1U);
  EXPECT_NE(plain.lacking().begin()->find("queue"), std::string::npos) << *plain.lacking().begin();
}

TEST_F(ShadowTest, ARefusalNamesTheFieldApartFromWhatIsWrongWithIt) {
  ShadowCore plain = shadow(fixed(30));
  JobSnapshot waits = waiting(2);
  waits.request.queue = "nightly";
  const ShadowVerdict verdict = plain.next(with({}, {waits}));
  EXPECT_TRUE(verdict.refusal.starts_with("queue: there is no queue")) << verdict.refusal;
}

TEST_F(ShadowTest, JobsOfWhichOnlyTheNumberIsKnownTakeRoom) {
  ShadowCore larger = shadow(fixed(30));
  RealState state = with({running(1)}, {waiting(2), waiting(3)});
  state.others = 1;
  EXPECT_EQ(numbers(larger.next(std::move(state)).starts), (Numbers{2}));
  EXPECT_EQ(numbers(larger.next(with({}, {waiting(2), waiting(3)})).starts), (Numbers{2, 3}));
}

TEST_F(ShadowTest, AFrozenJobWouldNotStart) {
  ShadowCore larger = shadow(fixed(30));
  JobSnapshot frozen = waiting(2);
  frozen.frozen = true;
  EXPECT_EQ(numbers(larger.next(with({running(1)}, {frozen, waiting(3)})).starts), (Numbers{3}));
}

}  // namespace
}  // namespace sluice::shadow_test

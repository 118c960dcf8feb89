// What a job will hold, and when: by the runs that took as long as it has.

#include "governor/memory/later_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "base/seconds.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr double kZ = 2;

/// All of ten runs held 100 for 60 s; then nine in ten 900 for 20 s.
MemoryProfile late() {
  MemoryProfile profile;
  profile.phases[0] = {60s, 100, 100 * 100, 0.9};
  profile.phases[1] = {80s, 0.9 * 900, 0.9 * 900 * 900, 0};
  profile.count = 2;
  profile.runs = 10;
  return profile;
}

TEST(LaterMemory, IsTheMostOfTheTimeAsked) {
  const auto early = need_between(late(), {}, 0s, 50s);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->mean, 100);
  EXPECT_EQ(early->variance, 0);
  const auto all = need_between(late(), {}, 0s, 80s);
  EXPECT_EQ(all->mean, 810);
  EXPECT_NEAR(all->variance, 0.09 * 900 * 900 * 1.1, 1) << "of ten runs";
}

TEST(LaterMemory, CountsFromATwentiethBeforeToATwentiethAfter) {
  EXPECT_EQ(need_between(late(), {}, 0s, 57s)->mean, 100);
  EXPECT_EQ(need_between(late(), {}, 0s, 58s)->mean, 810);
  EXPECT_EQ(need_between(late(), {40s, 100}, 0s, 18s)->mean, 810 / (1 - 0.1 * 40 / 60));
  EXPECT_GT(need_between(late(), {40s, 100}, 44s, 90s)->mean, 0);
  EXPECT_EQ(need_between(late(), {40s, 100}, 45s, 90s)->mean, 0);
}

TEST(LaterMemory, WhoHasEndedHoldsNothing) {
  EXPECT_EQ(need_between(late(), {62s, 900}, 30s, 90s)->mean, 0);
}

TEST(LaterMemory, WhatIsHeldIsHeldUntilTheEnd) {
  EXPECT_EQ(need_between(late(), {0s, 500}, 0s, 10s)->mean, 500);
  const auto later = need_between(late(), {0s, 2000}, 60s, 70s);
  EXPECT_NEAR(later->mean, 0.9 * 2000, 1) << "by the nine that go on";
}

TEST(LaterMemory, IsNotKnownOfWhoOutlastsTheOthers) {
  EXPECT_TRUE(need_between(late(), {70s, 900}, 0s, 10s));
  EXPECT_FALSE(need_between(late(), {75s, 900}, 0s, 10s));
  EXPECT_FALSE(need_between(late(), {100s, 900}, 0s, 10s));
}

MemoryUse use(double progress, std::uint64_t held) {
  MemoryUse use;
  use.held = use.peak = Bytes{held};
  use.progress = from_seconds(progress);
  return use;
}

/// A job whose peak comes early; at most 400 are held later.
Prediction falling() {
  auto growth = std::make_shared<MemoryProfile>();
  growth->phases[0] = {10s, 900, 900 * 900, 1};
  growth->phases[1] = {60s, 400, 400 * 400, 1};
  growth->phases[2] = {80s, 400, 400 * 400, 0};
  growth->count = 3;
  growth->runs = 10;
  Prediction expected{Points{10}};
  expected.rung = Rung::key;
  expected.memory = MemoryNeed{900, 100};
  expected.growth = std::move(growth);
  return expected;
}

TEST(ExpectedFromNow, IsThePeakThatIsStillToCome) {
  EXPECT_EQ(expected_from_now(kZ, falling(), use(2, 100), TimePoint{}).bytes, 900);
  EXPECT_EQ(expected_from_now(kZ, falling(), use(20, 300), TimePoint{}).bytes, 400);
}

TEST(ExpectedFromNow, IsTheWholePeakWhereTimeSaysNothing) {
  Prediction unknown = falling();
  unknown.growth = nullptr;
  EXPECT_EQ(expected_from_now(kZ, unknown, use(20, 300), TimePoint{}).bytes, 1100);
  EXPECT_EQ(expected_from_now(kZ, falling(), std::nullopt, TimePoint{}).bytes, 1100);
  EXPECT_EQ(expected_from_now(kZ, falling(), use(79, 300), TimePoint{}).bytes, 1100)
      << "it has outlasted the others";
  MemoryUse told = use(20, 300);
  told.is_measured = false;
  EXPECT_EQ(expected_from_now(kZ, falling(), told, TimePoint{}).bytes, 1100);
}

TEST(MemoryUse, ProgressIsThatOfARunThatNeverWaits) {
  JobUsage usage;
  usage.wall = 10s, usage.cpu = 5s, usage.cpu_delay = 5s;
  MemoryUse seen = MemoryUse::first(usage, TimePoint{});
  EXPECT_EQ(seen.progress, Duration(5s));
  usage.wall = 20s, usage.cpu = 25s, usage.cpu_delay = 25s;
  seen.see(usage, TimePoint{});
  EXPECT_EQ(seen.progress, Duration(10s)) << "four threads, each waits half of the time";
}

}  // namespace
}  // namespace sluice

#include "recognition/liveness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Bytes kMemory{std::uint64_t{1} << 30};

class LivenessOfABuild : public ::testing::Test {
 protected:
  /// Looks four times a second for so long; returns how many were let go.
  int observe(Duration span) {
    int gone = 0;
    for (const TimePoint until = now + span; now < until;) {
      now += milliseconds(250);
      holder.cpu += cpu_each_look;
      holder.moved += moved_each_look;
      memory.value += grown_each_look;
      if (free) liveness.report_free_memory(*free, now);
      std::vector<HolderUse> holders;
      if (has_permit) holders.push_back(holder);
      gone += liveness.observe(holders, eldest, memory, others, now) ? 1 : 0;
    }
    return gone;
  }

  Liveness liveness;
  TimePoint now{seconds(1000)};
  HolderUse holder{.process = 7};
  std::optional<HeldProcess> eldest = HeldProcess{9, TimePoint{seconds(900)}, WaitsFor::window};
  Bytes memory = kMemory;
  std::optional<Bytes> free;  ///< As the daemon says before each look.
  Liveness::Others others = Liveness::Others::run;
  bool has_permit = true;
  Duration cpu_each_look{0};
  std::uint64_t moved_each_look = 0, grown_each_look = 0;
};

TEST_F(LivenessOfABuild, LetsOneGoEachSecondWhileNothingMoves) {
  EXPECT_EQ(observe(seconds(1)), 0);
  EXPECT_EQ(observe(seconds(1)), 1);
  EXPECT_EQ(observe(seconds(3)), 3);
}

TEST_F(LivenessOfABuild,
       LetsAParentsWorkersGoEachSecondWhereTheDaemonHasNeverSaidWhatMemoryIsFree) {
  eldest->parent = 7;
  EXPECT_EQ(observe(seconds(1)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  EXPECT_EQ(observe(seconds(3)), 3);
}

class LivenessOfAParentsWorkers : public LivenessOfABuild {
 protected:
  LivenessOfAParentsWorkers() {
    free = kMemory;
    eldest->parent = 7;
    EXPECT_EQ(observe(seconds(1)), 0);
    EXPECT_EQ(observe(milliseconds(250)), 1);
  }
};

TEST_F(LivenessOfAParentsWorkers, LetsTheNextOnesGoWhereNothingHasMovedForAQuarterOfASecond) {
  EXPECT_EQ(observe(seconds(1)), 2);
  moved_each_look = 1;
  EXPECT_EQ(observe(seconds(5)), 0);
  moved_each_look = 0;
  EXPECT_EQ(observe(milliseconds(250)), 1);
}

TEST_F(LivenessOfAParentsWorkers, LetsAtMostTwoGoInASecondAlsoIfTheyEndBeforeTheyAreSeen) {
  EXPECT_EQ(observe(milliseconds(250)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  EXPECT_EQ(observe(milliseconds(250)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  EXPECT_EQ(observe(seconds(3)), 6);
}

TEST_F(LivenessOfAParentsWorkers, HoldsTheNextOneUntilItHasItselfStoodStillForAQuarterOfASecond) {
  eldest->since = now + milliseconds(300);
  EXPECT_EQ(observe(milliseconds(500)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
}

TEST_F(LivenessOfAParentsWorkers, LetsThoseOfAnotherParentGoEachSecond) {
  eldest->parent = 8;
  EXPECT_EQ(observe(milliseconds(750)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  eldest->parent = 0;
  EXPECT_EQ(observe(seconds(2)), 2);
}

TEST_F(LivenessOfAParentsWorkers, GoBeyondTheWindowSoonerOnlyWhileTheDaemonSaysThatThereIsMemory) {
  free.reset();
  liveness.report_free_memory(Bytes{0}, now);
  EXPECT_EQ(observe(seconds(1)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1) << "as without a known parent: it says nothing any more";
  EXPECT_EQ(observe(milliseconds(500)), 0);
  liveness.report_free_memory(Bytes{std::uint64_t{1} << 30}, now);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  eldest->waits_for = WaitsFor::memory;
  grown_each_look = std::uint64_t{16} << 20;
  EXPECT_EQ(observe(seconds(20)), 0);
}

TEST_F(LivenessOfAParentsWorkers, WaitASecondAgainAfterTenWithoutAStall) {
  moved_each_look = 1;
  EXPECT_EQ(observe(seconds(10)), 0);
  moved_each_look = 0;
  EXPECT_EQ(observe(milliseconds(750)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
}

TEST_F(LivenessOfAParentsWorkers, WaitASecondAgainAfterATimeInWhichNobodyLooked) {
  now += seconds(5);
  EXPECT_EQ(observe(seconds(1)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
}

/// The first worker goes for another reason than that the build stands still.
class LivenessOfAParentThatNeedNotWait : public LivenessOfABuild {
 protected:
  LivenessOfAParentThatNeedNotWait() {
    free = kMemory;
    eldest->parent = 7;
  }
  void expect_next_one_after_a_second() {
    EXPECT_EQ(observe(milliseconds(750)), 0);
    EXPECT_EQ(observe(milliseconds(250)), 1);
  }
};

TEST_F(LivenessOfAParentThatNeedNotWait, HoldsTheNextOneForASecondAfterOneThatHadALock) {
  others = Liveness::Others::blocked;
  EXPECT_EQ(observe(seconds(1)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  others = Liveness::Others::run;
  expect_next_one_after_a_second();
}

TEST_F(LivenessOfAParentThatNeedNotWait, HoldsTheNextOneForASecondAfterOneOfABuildWithoutAPermit) {
  has_permit = false;
  EXPECT_EQ(observe(seconds(30)), 0);
  EXPECT_EQ(observe(seconds(1)), 1);
  has_permit = true;
  EXPECT_EQ(observe(milliseconds(250)), 0) << "the one that was let go begins";
  expect_next_one_after_a_second();
}

TEST_F(LivenessOfAParentThatNeedNotWait, HoldsTheNextOneForASecondAfterOneThatFullMemoryHeld) {
  free = Bytes{0};
  grown_each_look = std::uint64_t{16} << 20;
  EXPECT_EQ(observe(seconds(30)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  free = kMemory;
  expect_next_one_after_a_second();
}

TEST_F(LivenessOfABuild, WhatIsFreeMattersFromHalfASecondOfStillnessOnAndWhileAParentIsKnown) {
  eldest->parent = 7;
  EXPECT_EQ(observe(milliseconds(500)), 0);
  EXPECT_FALSE(liveness.nears_stall(now));
  EXPECT_EQ(observe(milliseconds(250)), 0);
  EXPECT_TRUE(liveness.nears_stall(now));
  EXPECT_EQ(observe(milliseconds(500)), 1);
  moved_each_look = 1;
  EXPECT_EQ(observe(seconds(5)), 0);
  EXPECT_TRUE(liveness.nears_stall(now));
  EXPECT_EQ(observe(seconds(6)), 0);
  EXPECT_FALSE(liveness.nears_stall(now));
}

TEST_F(LivenessOfABuild, WhatWaitsForTheWindowIsHeldWhileMemoryIsFullAndGrows) {
  grown_each_look = std::uint64_t{16} << 20;
  for (int second = 0; second < 30; ++second) {
    liveness.report_free_memory(Bytes{0}, now);
    EXPECT_EQ(observe(seconds(1)), 0) << second;
  }
  liveness.report_free_memory(Bytes{0}, now);
  EXPECT_EQ(observe(seconds(1)), 1) << "not without end";
  EXPECT_EQ(observe(seconds(2)), 2) << "what was said a while ago does not count";
  grown_each_look = 0;
  liveness.report_free_memory(Bytes{std::uint64_t{1} << 30}, now);
  EXPECT_EQ(observe(seconds(1)), 1);
}

TEST_F(LivenessOfABuild, LetsNoneGoWhileAHolderComputes) {
  cpu_each_look = milliseconds(13);
  EXPECT_EQ(observe(seconds(20)), 0);
  cpu_each_look = milliseconds(12);
  EXPECT_EQ(observe(seconds(1)), 1) << "less than 0.05 cores";
}

TEST_F(LivenessOfABuild, LetsNoneGoWhileAHolderMovesAByte) {
  moved_each_look = 1;
  EXPECT_EQ(observe(seconds(20)), 0);
}

TEST_F(LivenessOfABuild, LetsNoneGoWhileAHolderWaitsForADiskOrIsSuspended) {
  holder.is_in_disk_wait = true;
  EXPECT_EQ(observe(seconds(20)), 0);
  holder.is_in_disk_wait = false;
  holder.is_suspended = true;
  EXPECT_EQ(observe(seconds(20)), 0);
}

TEST_F(LivenessOfABuild, GoesBeyondMemoryOnlyWhereThatHasStoodStillForFiveSeconds) {
  eldest->waits_for = WaitsFor::memory;
  EXPECT_EQ(observe(seconds(5)), 0);
  EXPECT_EQ(observe(seconds(1)), 1);
  grown_each_look = 16 << 20;
  EXPECT_EQ(observe(seconds(20)), 0);
}

TEST_F(LivenessOfABuild, WaitsAnewAfterATimeInWhichNobodyLooked) {
  EXPECT_EQ(observe(seconds(1)), 0);
  now += seconds(60);
  EXPECT_EQ(observe(seconds(1)), 0) << "the build may have been stopped as a whole";
  EXPECT_EQ(observe(seconds(1)), 1);
  eldest->waits_for = WaitsFor::memory;
  now += seconds(60);
  EXPECT_EQ(observe(seconds(5)), 0);
}

TEST_F(LivenessOfABuild, WaitsForOthersWhereItHoldsNoPermit) {
  for (int look = 0; look < 100; ++look) {
    now += milliseconds(250);
    EXPECT_FALSE(liveness.observe({}, eldest, memory, Liveness::Others::run, now));
  }
}

TEST_F(LivenessOfABuild, WithoutAPermitForThirtySecondsLetsOneGoThatWaitsForTheWindow) {
  const auto gone_in = [&](int looks) {
    int gone = 0;
    for (int look = 0; look < looks; ++look) {
      now += milliseconds(250);
      gone += liveness.observe({}, eldest, memory, Liveness::Others::run, now) ? 1 : 0;
    }
    return gone;
  };
  EXPECT_EQ(gone_in(30 * 4), 0);
  EXPECT_EQ(gone_in(2 * 4), 1) << "others may wait for it";
  EXPECT_EQ(observe(seconds(1)), 0) << "the one that was let go is a holder";
  EXPECT_EQ(gone_in(30 * 4), 0);
  eldest->waits_for = WaitsFor::memory;
  EXPECT_EQ(gone_in(60 * 4), 0);
}

TEST_F(LivenessOfABuild, WithoutAPermitLetsOneGoThatHasALockForWhichOthersWait) {
  const auto gone_in = [&](int looks, const std::vector<HolderUse>& holders) {
    int gone = 0;
    for (int look = 0; look < looks; ++look) {
      now += milliseconds(250);
      holder.moved += 1;
      gone += liveness.observe(holders.empty() ? holders : std::vector{holder}, eldest, memory,
                               Liveness::Others::blocked, now)
                  ? 1
                  : 0;
    }
    return gone;
  };
  EXPECT_EQ(gone_in(2 * 4, {}), 1);
  EXPECT_EQ(gone_in(29 * 4, {holder}), 0) << "a permit holder moves";
  EXPECT_EQ(gone_in(2 * 4, {holder}), 1) << "they have waited for 30 s";
  EXPECT_EQ(gone_in(20 * 4, {holder}), 0);
}

TEST_F(LivenessOfABuild, WithoutAPermitLetsOneGoWhereNobodyElseRuns) {
  int gone = 0;
  for (int look = 0; look < 12; ++look) {
    now += milliseconds(250);
    gone += liveness.observe({}, eldest, memory, Liveness::Others::idle, now) ? 1 : 0;
  }
  EXPECT_EQ(gone, 2) << "in three seconds";
}

TEST_F(LivenessOfABuild, WhatIsPausedStaysWhereNobodyHasAPermit) {
  eldest->waits_for = WaitsFor::resume;
  has_permit = false;
  EXPECT_EQ(observe(seconds(120)), 0);
  eldest->waits_for = WaitsFor::window;
  others = Liveness::Others::idle;
  EXPECT_EQ(observe(seconds(1)), 1) << "it was resumed, and still stands in the way";
}

TEST_F(LivenessOfABuild, TheTimeOfAPauseIsNoneInWhichABuildWaitedForOthers) {
  eldest->waits_for = WaitsFor::resume;
  has_permit = false;
  EXPECT_EQ(observe(seconds(120)), 0);
  eldest->waits_for = WaitsFor::window;
  EXPECT_EQ(observe(seconds(29)), 0);
  EXPECT_EQ(observe(seconds(2)), 1);
}

TEST_F(LivenessOfABuild, WhatIsPausedStaysThoughARunningJobStandsStill) {
  eldest->waits_for = WaitsFor::resume;
  EXPECT_EQ(observe(seconds(120)), 0);
}

TEST_F(LivenessOfABuild, WhatWasPausedGoesOnceTheDaemonSaysThatNobodyRunsAndNothingIsPaused) {
  eldest->waits_for = WaitsFor::resume;
  has_permit = false;
  EXPECT_EQ(observe(seconds(120)), 0);
  others = Liveness::Others::idle;
  EXPECT_EQ(observe(seconds(1)), 1)
      << "it has not heard yet that the daemon drains, or was resumed";
}

TEST_F(LivenessOfABuild, WhatIsPausedGoesWhereOthersWaitForALockThatItHas) {
  eldest->waits_for = WaitsFor::resume;
  has_permit = false;
  others = Liveness::Others::blocked;
  EXPECT_EQ(observe(seconds(2)), 1);
}

/// Nobody runs, since a sensor is red.
class LivenessBehindARedSensor : public LivenessOfABuild {
 protected:
  LivenessBehindARedSensor() {
    eldest->waits_for = WaitsFor::sensor;
    others = Others::idle;
    has_permit = false;
    EXPECT_EQ(observe(milliseconds(250)), 0);
  }
  using Others = Liveness::Others;
};

TEST_F(LivenessBehindARedSensor, LetsTheNextOneGoLaterEachTimeButNeverStops) {
  EXPECT_EQ(observe(milliseconds(4750)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
  for (const int pause : {10, 20, 40, 60, 60, 60}) {
    EXPECT_EQ(observe(seconds(pause) - milliseconds(250)), 0) << pause;
    EXPECT_EQ(observe(milliseconds(250)), 1) << pause;
  }
}

TEST_F(LivenessBehindARedSensor, BeginsAgainOnceNoneHasWaitedForASensorForAMinute) {
  EXPECT_EQ(observe(seconds(15)), 2);
  eldest->waits_for = WaitsFor::window;
  EXPECT_EQ(observe(seconds(2)), 2) << "it is red no more";
  eldest.reset();
  EXPECT_EQ(observe(seconds(57)), 0);
  eldest = HeldProcess{10, now, WaitsFor::sensor};
  EXPECT_EQ(observe(seconds(5)), 1);
  EXPECT_EQ(observe(milliseconds(39750)), 0) << "57 s are less than a minute";
  EXPECT_EQ(observe(milliseconds(250)), 1);
  eldest.reset();
  EXPECT_EQ(observe(seconds(60)), 0);
  eldest = HeldProcess{11, now, WaitsFor::sensor};
  EXPECT_EQ(observe(milliseconds(4750)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
}

TEST_F(LivenessBehindARedSensor, LetsNoWorkerGoSoonerThanOthers) {
  free = kMemory;
  eldest->parent = 7;
  EXPECT_EQ(observe(seconds(5)), 1);
  EXPECT_EQ(observe(milliseconds(9750)), 0);
}

TEST_F(LivenessBehindARedSensor, WaitsWhereAHolderMovesAndGoesBeyondOneThatStandsStill) {
  has_permit = true;
  others = Others::run;
  moved_each_look = 1;
  EXPECT_EQ(observe(seconds(60)), 0);
  moved_each_look = 0;
  EXPECT_EQ(observe(milliseconds(4750)), 0);
  EXPECT_EQ(observe(milliseconds(250)), 1);
}

TEST_F(LivenessBehindARedSensor, GoesAfterThirtySecondsInWhichOnlyOthersRan) {
  others = Others::run;
  EXPECT_EQ(observe(milliseconds(29500)), 0);
  EXPECT_EQ(observe(seconds(6)), 1);
}

TEST_F(LivenessBehindARedSensor, ALockForWhichOthersWaitIsGivenBackSoon) {
  others = Others::blocked;
  EXPECT_EQ(observe(seconds(2)), 2);
}

TEST_F(LivenessOfABuild, AHolderThatHasJustBegunMoves) {
  for (int look = 0; look < 100; ++look) {
    now += milliseconds(250);
    EXPECT_FALSE(
        liveness.observe({{.process = 10 + look}}, eldest, memory, Liveness::Others::run, now));
  }
}

}  // namespace
}  // namespace sluice

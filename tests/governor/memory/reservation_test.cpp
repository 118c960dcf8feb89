#include "governor/memory/reservation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/seconds.h"

namespace sluice {
namespace {

constexpr double kMiB = 1 << 20;

Bytes mebibytes(double number) { return Bytes{static_cast<std::uint64_t>(number * kMiB)}; }

std::optional<MemoryUse> holding(double number) {
  JobUsage usage;
  usage.memory = mebibytes(number);
  return MemoryUse::first(usage, TimePoint{});
}

MemoryNeed need(double mean, double deviation) { return {mean * kMiB, deviation * kMiB}; }

ReservationOptions options(double reserve, double z) {
  ReservationOptions options;
  options.reserve = reserve;
  options.z = z;
  return options;
}

Reservation below(double limit, double used, double own) {
  Reservation reservation;
  reservation.configure(options(0.1, 2));
  reservation.observe({{"host", mebibytes(limit), mebibytes(used)}}, own * kMiB);
  return reservation;
}

TEST(Reservation, KeepsMeansAndTheRootOfTheVariancesBelowTheLimitLessTheReserve) {
  Reservation reservation = below(1000, 0, 0);
  reservation.add(Reservation::charge_of(need(300, 30), holding(0)));
  // 300 + 400 + 2 x sqrt(30^2 + 40^2) = 800 of 900.
  const auto standing = reservation.standing(need(400, 40));
  ASSERT_TRUE(standing);
  EXPECT_TRUE(standing->fits());
  EXPECT_NEAR(standing->free / kMiB, 900 - 300 - 2 * 30, 1e-3);
  EXPECT_NEAR(standing->needs / kMiB, 400 + 2 * (50 - 30), 1e-3);
  EXPECT_NEAR(standing->total / kMiB, 900, 1e-3);
  EXPECT_TRUE(reservation.standing(need(499.9, 40))->fits());
  EXPECT_FALSE(reservation.standing(need(500.1, 40))->fits());
}

TEST(Reservation, WhatOthersUseIsTakenAway) {
  const Reservation reservation = below(1000, 350, 150);
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 900 - 200, 1e-3);
}

struct Settles {
  const char* what;
  double wall, cpu, delay;  ///< Seconds since it last grew, by its own clock.
  bool has;
};

TEST(MemoryUse, HasSettledAfterFourSecondsInWhichItCouldGrowOrOneOfIdling) {
  const auto seconds = [](double number) { return from_seconds(number); };
  for (const Settles& row : {Settles{"works", 3.9, 3.9, 0, false}, Settles{"works", 4, 4, 0, true},
                             Settles{"idles", 0.9, 0, 0, false}, Settles{"idles", 1, 0.1, 0, true},
                             Settles{"does a little", 1, 0.11, 0, false},
                             Settles{"waits for a CPU", 20, 0.1, 19.5, false},
                             Settles{"is suspended: its clock stands", 0.5, 0, 0, false}}) {
    JobUsage usage;
    usage.wall = seconds(1);
    usage.cpu = seconds(1);
    usage.memory = mebibytes(100);
    MemoryUse use = MemoryUse::first(usage, TimePoint{});
    usage.wall += seconds(row.wall);
    usage.cpu += seconds(row.cpu);
    usage.cpu_delay += seconds(row.delay);
    use.see(usage, TimePoint{seconds(100)});
    EXPECT_EQ(use.has_settled(TimePoint{seconds(100)}), row.has) << row.what;
    usage.memory = mebibytes(109);
    use.see(usage, TimePoint{seconds(100)});
    EXPECT_FALSE(use.has_settled(TimePoint{seconds(100)})) << row.what;
  }
}

TEST(Reservation, UseBelowWhatMeasuredJobsHeldIsNoRoom) {
  const Reservation reservation = below(1000, 100, 150);
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 900, 1e-3);
}

TEST(Reservation, MemoryOfJobsThatNobodyMeasuresIsNotCountedTwice) {
  Reservation reservation = below(1000, 350, 0);
  Reservation::Charge unmeasured = Reservation::charge_of(need(300, 0), std::nullopt);
  unmeasured.among_others = true;
  reservation.add(unmeasured);
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 900 - 350, 1e-3);
  reservation.add(unmeasured);
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 900 - 600, 1e-3);
}

TEST(Reservation, WhatOthersUseCountsBesideJobsThatStartedAfterTheReading) {
  Reservation reservation = below(1000, 350, 0);
  reservation.add(Reservation::charge_of(need(300, 0), std::nullopt));
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 900 - 350 - 300, 1e-3);
}

TEST(Reservation, TheTightestLevelDecides) {
  Reservation reservation;
  reservation.configure(options(0, 2));
  reservation.observe({{"host", mebibytes(8000), mebibytes(7500)},
                       {"/a", mebibytes(1000), mebibytes(100)},
                       {"/a/b", mebibytes(2000), mebibytes(100)}},
                      0);
  EXPECT_EQ(reservation.status()->where, "host");
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 500, 1e-3);
  reservation.observe(
      {{"host", mebibytes(8000), mebibytes(100)}, {"/a", mebibytes(1000), mebibytes(100)}}, 0);
  EXPECT_EQ(reservation.status()->where, "/a");
}

TEST(Reservation, AReadingThatFailsLeavesTheLastOneInForce) {
  Reservation reservation = below(1000, 350, 0);
  reservation.observe({}, 0);
  EXPECT_NEAR(reservation.standing(need(1, 0))->free / kMiB, 550, 1e-3);
}

TEST(Reservation, WithoutAnyLimitNothingIsKept) {
  const Reservation reservation;
  EXPECT_FALSE(reservation.is_in_force());
  EXPECT_FALSE(reservation.standing(need(1e9, 0)));
  EXPECT_FALSE(reservation.status());
}

TEST(Reservation, AJobAboveItsPredictionIsChargedWhatItHoldsAndAsMuchDoubt) {
  const auto grown = Reservation::charge_of(need(500, 50), holding(800));
  EXPECT_NEAR(grown.mean / kMiB, 800, 1e-3);
  EXPECT_NEAR(std::sqrt(grown.variance) / kMiB, 300, 1e-3);
  const auto growing = Reservation::charge_of(need(500, 50), holding(100));
  EXPECT_NEAR(growing.mean / kMiB, 500, 1e-3);
  EXPECT_NEAR(std::sqrt(growing.variance) / kMiB, 50, 1e-3);
}

MemoryNeed need_of_at_most(double mean, double deviation, double most) {
  MemoryNeed bytes = need(mean, deviation);
  bytes.most = most * kMiB;
  return bytes;
}

TEST(Reservation, TheMarginIsNeverMoreThanWhatJobsMayExceedTheirMeansBy) {
  Reservation reservation = below(1000, 0, 0);
  reservation.add(Reservation::charge_of(need_of_at_most(200, 60, 250), holding(100)));
  // Alone 2 x 60, but it never needs more than 250. With the next 2 x sqrt(60^2 + 80^2) = 200.
  EXPECT_NEAR(static_cast<double>(reservation.status()->margin.value) / kMiB, 50, 1e-3);
  EXPECT_NEAR(reservation.standing(need_of_at_most(300, 80, 370))->needs / kMiB, 370, 1e-3);
  EXPECT_NEAR(reservation.standing(need(300, 80))->needs / kMiB, 300 + 200 - 50, 1e-3);
  reservation.add(Reservation::charge_of(need(100, 0), holding(100)));
  EXPECT_NEAR(static_cast<double>(reservation.status()->margin.value) / kMiB, 50, 1e-3);
  const auto unknown = Reservation::charge_of(need(300, 80), holding(100));
  reservation.add(unknown);
  EXPECT_NEAR(static_cast<double>(reservation.status()->margin.value) / kMiB, 200, 1e-3);
  reservation.remove(unknown);
  EXPECT_NEAR(static_cast<double>(reservation.status()->margin.value) / kMiB, 50, 1e-3);
}

TEST(Reservation, AJobThatHoldsMoreThanItEverDidMayGoOn) {
  Reservation reservation = below(1000, 0, 0);
  reservation.add(Reservation::charge_of(need_of_at_most(200, 10, 210), holding(260)));
  EXPECT_NEAR(static_cast<double>(reservation.status()->margin.value) / kMiB, 120, 1e-3);
}

TEST(ExpectedPeakOf, IsTheMeanAndZDeviationsButNotMoreThanItEverNeeds) {
  EXPECT_EQ(expected_peak(2, {100, 10}).bytes, 120);
  EXPECT_EQ(expected_peak(2, {100, 10}).margin, 20);
  EXPECT_EQ(expected_peak(2, {100, 10, 115}).bytes, 115);
  EXPECT_EQ(expected_peak(2, {100, 10, 115}).margin, 15);
}

TEST(ReservationProperty, MoreUseMoreNeedOrMoreJobsNeverLeaveMoreRoom) {
  std::mt19937 random(11);
  const auto upto = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  };
  for (int round = 0; round < 5000; ++round) {
    Reservation reservation = below(1000 + upto(1000), upto(800), upto(400));
    for (int jobs = static_cast<int>(upto(6)); jobs > 0; --jobs) {
      reservation.add(Reservation::charge_of(need(upto(300), upto(100)), holding(upto(400))));
    }
    const MemoryNeed asked = need(upto(300), upto(100));
    const auto before = *reservation.standing(asked);
    const MemoryNeed more{asked.mean + upto(10) * kMiB, asked.deviation + upto(10) * kMiB};
    EXPECT_GE(reservation.standing(more)->needs, before.needs);
    const auto charge = Reservation::charge_of(need(upto(300), upto(100)), holding(upto(400)));
    reservation.add(charge);
    const auto after = *reservation.standing(asked);
    EXPECT_LE(after.free - after.needs, before.free - before.needs + 1e-3);
    reservation.remove(charge);
    const auto back = *reservation.standing(asked);
    EXPECT_NEAR(back.free - back.needs, before.free - before.needs, 1.0);
  }
}

}  // namespace
}  // namespace sluice

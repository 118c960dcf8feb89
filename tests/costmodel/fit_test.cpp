#include "costmodel/fit.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

FitRoom room(double cores, double gib) { return {cores, Points{1000}, gib * kGiB}; }

Prediction predicted_need(double cores, double gib, double deviation = 0) {
  Prediction expected(Points{10});
  expected.cores = cores;
  expected.memory = MemoryNeed{gib * kGiB, deviation * kGiB};
  return expected;
}

TEST(Fit, IsWhatTheScarcestAllows) {
  struct Row {
    FitRoom room;
    Prediction need;
    std::size_t jobs;
    Fit::Bound bound;
  };
  const Row rows[] = {
      {room(10, 64), predicted_need(1, 1), 10, Fit::Bound::cpus},
      {room(10, 64), predicted_need(2.5, 1), 4, Fit::Bound::cpus},
      {room(10, 3.5), predicted_need(1, 1), 3, Fit::Bound::memory},
      {{10, Points{55}, std::nullopt}, predicted_need(1, 1), 5, Fit::Bound::window},
      {{10, std::nullopt, std::nullopt}, predicted_need(1, 100), 10, Fit::Bound::cpus},
      {room(2, 64), predicted_need(0, 0.1), 20,
       Fit::Bound::cpus},  // Jobs that sleep count a tenth.
      {room(1e9, 1e9), predicted_need(1, 0), 100, Fit::Bound::window},
  };
  for (const Row& row : rows) {
    const Fit fit = fit_in(row.room, row.need, 2.33);
    EXPECT_EQ(fit.jobs, row.jobs);
    EXPECT_EQ(fit.bound, row.bound) << row.jobs;
  }
}

TEST(Fit, IsAtLeastOne) {
  EXPECT_EQ(fit_in(room(-3, 64), predicted_need(1, 1), 2.33).jobs, 1u);
  EXPECT_EQ(fit_in(room(8, -1), predicted_need(1, 1), 2.33).jobs, 1u);
  EXPECT_EQ(fit_in(room(8, -1), predicted_need(1, 1), 2.33).bound, Fit::Bound::memory);
}

TEST(Fit, OfAJobOfWhichNothingIsKnownCountsACore) {
  EXPECT_EQ(fit_in(room(3.9, 64), Prediction(Points{10}), 2.33).jobs, 3u);
}

TEST(Fit, KeepsAMarginThatGrowsWithTheRootOfTheNumber) {
  // 9 jobs of 1 GiB ± 0.5: 9 + 2 × 0.5 × 3 = 12.
  EXPECT_EQ(fit_in(room(99, 12.01), predicted_need(1, 1, 0.5), 2).jobs, 9u);
  EXPECT_EQ(fit_in(room(99, 11.99), predicted_need(1, 1, 0.5), 2).jobs, 8u);
  Prediction bounded = predicted_need(1, 1, 0.5);
  bounded.memory->most = 1.1 * kGiB;
  EXPECT_EQ(fit_in(room(99, 11.99), bounded, 2).jobs, 10u) << "never more than such a job needs";
}

TEST(Fit, CountsRoomBesideWhatRunsAndWhatOthersUse) {
  Status status;
  status.law = Law::knee;
  status.size = Points{30};
  status.usage = Points{20};
  status.maximum = Points{200};
  status.cpu = CpuStatus{.cpus = 8, .busy = 0.5, .waiting = 0, .demand = 2, .others = 1};
  status.memory = MemoryStatus{.where = "host",
                               .limit = Bytes{100},
                               .used = Bytes{50},
                               .promised = Bytes{90},
                               .others = Bytes{20},
                               .kept = Bytes{30},
                               .margin = Bytes{5},
                               .most = {}};
  const FitRoom room = room_of(status, 2);
  EXPECT_DOUBLE_EQ(room.cores, 1.25 * 8 - 3);
  EXPECT_EQ(room.points, Points{180}) << "the window follows the CPUs";
  EXPECT_EQ(room.memory, 35);
  status.law = Law::adaptive;
  EXPECT_EQ(room_of(status, 2).points, Points{10});
  status.cpu.reset();
  EXPECT_DOUBLE_EQ(room_of(status, 2).cores, 2.5) << "not measured";
}

}  // namespace
}  // namespace sluice

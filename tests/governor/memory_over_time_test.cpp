// Jobs that are known to hold more later than at first.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "memory_jobs.h"

namespace sluice::memory_test {
namespace {

/// Jobs of 600 MiB that hold 100 MiB for their first minute, and take 80 s.
Prediction late_peak() {
  auto growth = std::make_shared<MemoryProfile>();
  const double early = 100 * kMiB, peak = 600 * kMiB;
  growth->phases[0] = {std::chrono::seconds(60), early, early * early, 1};
  growth->phases[1] = {std::chrono::seconds(80), peak, peak * peak, 0};
  growth->count = 2;
  growth->runs = 10;
  Prediction prediction{Points{10}};
  prediction.rung = Rung::key;
  prediction.memory = MemoryNeed{peak, 0};
  prediction.growth = std::move(growth);
  return prediction;
}

GovernorOptions over_time(Law law, ReservationOptions::Brake brake) {
  GovernorOptions all = options();
  all.window.law = law;
  all.reservation.brake = brake;
  return all;
}

class MemoryOverTime : public ::testing::Test {
 protected:
  using Brake = ReservationOptions::Brake;

  explicit MemoryOverTime(Law law = Law::knee, Brake brake = Brake::suspend)
      : core_(
            over_time(law, brake), [](const JobRequest&) { return late_peak(); }, {}, at(0)) {
    see(0);
  }

  void see(std::uint64_t used) {
    core_.observe_memory({{"/pod", Bytes{1000 * kMiB}, Bytes{used * kMiB}}});
  }
  /// Submits a job; whether it starts at once.
  bool starts(int second, bool suspendable = true) {
    JobRequest request = job("late");
    request.suspendable = suspendable;
    core_.submit(request, at(second));
    return !core_.pass(at(second)).empty();
  }
  void measure(int second, int mebibytes) {
    JobUsage usage = holding(mebibytes);
    usage.wall = std::chrono::seconds(second);
    core_.measured(0, usage, at(second));
    see(static_cast<std::uint64_t>(mebibytes));
  }

  Core core_;
};

TEST_F(MemoryOverTime, APeakThatIsOverBeforeTheNextOneBeginsLeavesRoom) {
  ASSERT_TRUE(starts(0));
  measure(30, 100);
  EXPECT_TRUE(starts(30)) << "it ends at 80 s, the next one grows at 90 s";
}

TEST_F(MemoryOverTime, PeaksThatMeetDoNotFit) {
  ASSERT_TRUE(starts(0));
  EXPECT_FALSE(starts(0));
  measure(10, 100);
  EXPECT_FALSE(starts(10)) << "it grows at 70 s, when the first has its peak";
}

TEST_F(MemoryOverTime, WhoOutlastsWhatIsKnownCountsWithItsPeak) {
  ASSERT_TRUE(starts(0));
  measure(90, 100);
  EXPECT_FALSE(starts(90));
}

TEST_F(MemoryOverTime, WhatCannotBeSuspendedCountsWithItsPeak) {
  ASSERT_TRUE(starts(0));
  measure(30, 100);
  EXPECT_FALSE(starts(30, false));
}

class MemoryWithoutBrake : public MemoryOverTime {
 protected:
  MemoryWithoutBrake() : MemoryOverTime(Law::knee, Brake::off) {}
};

TEST_F(MemoryWithoutBrake, CountsPeaks) {
  ASSERT_TRUE(starts(0));
  measure(30, 100);
  EXPECT_FALSE(starts(30));
}

class MemoryUnderAdaptive : public MemoryOverTime {
 protected:
  MemoryUnderAdaptive() : MemoryOverTime(Law::adaptive) {}
};

TEST_F(MemoryUnderAdaptive, CountsPeaks) {
  ASSERT_TRUE(starts(0));
  measure(30, 100);
  EXPECT_FALSE(starts(30));
}

}  // namespace
}  // namespace sluice::memory_test

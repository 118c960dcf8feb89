#include "governor/law/cpu_demand.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/seconds.h"

namespace sluice {
namespace {

Duration seconds(double count) { return from_seconds(count); }

JobUsage usage(double wall, double cpu, double delay = 0) {
  JobUsage usage;
  usage.wall = seconds(wall);
  usage.cpu = seconds(cpu);
  usage.cpu_delay = seconds(delay);
  return usage;
}

/// Two CPUs; measured at the time that the job has run for.
void see(CpuDemand& demand, const JobUsage& usage) { demand.see(usage, 2, TimePoint(usage.wall)); }

double shown(const CpuDemand& demand) { return demand.cores(TimePoint(seconds(0))).value(); }

TEST(CpuDemand, IsUnknownUntilMeasuredForAFifthOfASecond) {
  CpuDemand demand;
  EXPECT_FALSE(demand.cores(TimePoint(seconds(0))));
  see(demand, usage(0.1, 0.1));
  EXPECT_FALSE(demand.cores(TimePoint(seconds(0))));
  see(demand, usage(0.25, 0.25));
  EXPECT_DOUBLE_EQ(shown(demand), 1);
}

TEST(CpuDemand, CountsTheTimeWaitedForACpu) {
  CpuDemand demand;
  see(demand, usage(1, 0.5, 0.5));
  EXPECT_DOUBLE_EQ(shown(demand), 1);
  EXPECT_DOUBLE_EQ(demand.used(TimePoint(seconds(0))), 0.5);
}

TEST(CpuDemand, IsAtMostTheCpusThereAre) {
  CpuDemand demand;
  see(demand, usage(1, 4, 4));
  EXPECT_EQ(shown(demand), 2);
  EXPECT_EQ(demand.used(TimePoint(seconds(0))), 2);
}

TEST(CpuDemand, RisesAtOnceAndFallsWithATimeConstantOfFourSeconds) {
  CpuDemand demand;
  see(demand, usage(1, 0));
  see(demand, usage(2, 1));
  EXPECT_DOUBLE_EQ(shown(demand), 1);
  see(demand, usage(3, 1));
  EXPECT_DOUBLE_EQ(shown(demand), std::exp(-0.25));
  see(demand, usage(6, 1));
  EXPECT_DOUBLE_EQ(shown(demand), std::exp(-1));
}

TEST(CpuDemand, FallsWhileNothingIsMeasured) {
  CpuDemand demand;
  see(demand, usage(1, 1));
  for (int i = 0; i < 100; ++i) see(demand, usage(1, 1));  // Suspended: its time stands still.
  EXPECT_DOUBLE_EQ(demand.cores(TimePoint(seconds(3))).value(), 1);
  EXPECT_DOUBLE_EQ(demand.cores(TimePoint(seconds(7))).value(), std::exp(-1));
  EXPECT_EQ(demand.used(TimePoint(seconds(3))), 1);
  EXPECT_EQ(demand.used(TimePoint(seconds(3.1))), 0);
}

TEST(CpuDemand, ACorrectedDelayCountsOnce) {
  CpuDemand demand;
  see(demand, usage(1, 0.5, 0.4));
  see(demand, usage(2, 0.5, 0.1));
  EXPECT_DOUBLE_EQ(shown(demand), 0.9 * std::exp(-0.25));
  see(demand, usage(3, 0.5, 0.4));
  EXPECT_DOUBLE_EQ(shown(demand), 0.9 * std::exp(-0.5));
  EXPECT_EQ(demand.delay(), seconds(0.4));
}

TEST(CpuDemand, TotalsIncludeWhatIsTooShortForARate) {
  CpuDemand demand;
  see(demand, usage(0.05, 0.04, 0.01));
  EXPECT_EQ(demand.cpu(), seconds(0.04));
  EXPECT_EQ(demand.delay(), seconds(0.01));
}

TEST(CpuDemand, ARunThatWaitsForACpuMakesNoProgress) {
  CpuDemand demand;
  const TimePoint start(seconds(0));
  EXPECT_EQ(demand.progress(start, TimePoint(seconds(0.1))), seconds(0.1)) << "as old as it is";
  see(demand, usage(1, 1));
  EXPECT_EQ(demand.progress(start, TimePoint(seconds(1))), seconds(1));
  see(demand, usage(2, 1.25, 0.75));
  EXPECT_EQ(demand.progress(start, TimePoint(seconds(2))), seconds(1.25));
  EXPECT_EQ(demand.progress(start, TimePoint(seconds(2.5))), seconds(1.75));
  EXPECT_EQ(demand.progress(start, TimePoint(seconds(60))), seconds(3.25)) << "it is suspended";
}

}  // namespace
}  // namespace sluice

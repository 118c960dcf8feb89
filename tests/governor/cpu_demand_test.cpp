#include "governor/cpu_demand.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice {
namespace {

Duration seconds(double count) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(count));
}

JobUsage usage(double wall, double cpu, double delay = 0) {
  JobUsage usage;
  usage.wall = seconds(wall);
  usage.cpu = seconds(cpu);
  usage.cpu_delay = seconds(delay);
  return usage;
}

TEST(CpuDemand, IsUnknownUntilMeasuredForAFifthOfASecond) {
  CpuDemand demand;
  EXPECT_FALSE(demand.cores());
  demand.see(usage(0.1, 0.1), 2);
  EXPECT_FALSE(demand.cores());
  demand.see(usage(0.25, 0.25), 2);
  EXPECT_DOUBLE_EQ(demand.cores().value(), 1);
}

TEST(CpuDemand, CountsTheTimeWaitedForACpu) {
  CpuDemand demand;
  demand.see(usage(1, 0.5, 0.5), 2);
  EXPECT_DOUBLE_EQ(demand.cores().value(), 1);
  EXPECT_DOUBLE_EQ(demand.used(), 0.5);
}

TEST(CpuDemand, IsAtMostTheCpusThereAre) {
  CpuDemand demand;
  demand.see(usage(1, 4, 4), 2);
  EXPECT_EQ(demand.cores().value(), 2);
  EXPECT_EQ(demand.used(), 2);
}

TEST(CpuDemand, RisesAtOnceAndFallsWithATimeConstantOfFourSeconds) {
  CpuDemand demand;
  demand.see(usage(1, 0), 2);
  demand.see(usage(2, 1), 2);
  EXPECT_DOUBLE_EQ(demand.cores().value(), 1);
  demand.see(usage(3, 1), 2);
  EXPECT_DOUBLE_EQ(demand.cores().value(), std::exp(-0.25));
  demand.see(usage(6, 1), 2);
  EXPECT_DOUBLE_EQ(demand.cores().value(), std::exp(-1));
}

TEST(CpuDemand, AJobThatIsSuspendedKeepsItsDemand) {
  CpuDemand demand;
  demand.see(usage(1, 1), 2);
  for (int i = 0; i < 100; ++i) demand.see(usage(1, 1), 2);
  EXPECT_DOUBLE_EQ(demand.cores().value(), 1);
}

TEST(CpuDemand, ACorrectedDelayIsNoNegativeDemand) {
  CpuDemand demand;
  demand.see(usage(1, 0.5, 0.4), 2);
  demand.see(usage(2, 0.5, 0.1), 2);
  EXPECT_GE(demand.cores().value(), 0);
  EXPECT_EQ(demand.delay(), seconds(0.4));
}

TEST(CpuDemand, TotalsIncludeWhatIsTooShortForARate) {
  CpuDemand demand;
  demand.see(usage(0.05, 0.04, 0.01), 2);
  EXPECT_EQ(demand.cpu(), seconds(0.04));
  EXPECT_EQ(demand.delay(), seconds(0.01));
}

}  // namespace
}  // namespace sluice

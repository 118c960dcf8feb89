// What a job whose profile is known will need, and when.

#include "governor/law/cpu_phases.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/seconds.h"

namespace sluice {
namespace {

Duration in_seconds(double count) { return from_seconds(count); }

CpuProfile profile(const std::vector<std::pair<double, double>>& phases) {
  CpuProfile profile;
  for (const auto& [until, cores] : phases) {
    profile.phases[profile.count++] = {in_seconds(until), cores};
  }
  return profile;
}

TEST(CpuPhases, AJobNeedsAtItsStartTheMostOfItsFirstSecond) {
  EXPECT_EQ(cores_at_start(profile({{0.5, 0.2}, {3, 2}, {9, 4}})), 2);
  EXPECT_EQ(cores_at_start(profile({{1, 0}, {3, 2}})), 0);
  EXPECT_EQ(cores_at_start({}), 0);
}

TEST(CpuPhases, AJobThatComputesLaterBeginsAsleep) {
  Prediction expected;
  expected.cores = 0.9;
  EXPECT_FALSE(begins_asleep(expected)) << "nobody knows";
  expected.profile = profile({{2, 0.01}, {60, 2}});
  EXPECT_TRUE(begins_asleep(expected));
  expected.profile = profile({{0.5, 0.01}, {60, 2}});
  EXPECT_FALSE(begins_asleep(expected));
}

TEST(CpuPhases, APhaseIsDueALittleBeforeItBeginsUntilTheJobCanShowIt) {
  const CpuProfile late = profile({{60, 0}, {90, 2}});
  EXPECT_EQ(due_cores(late, in_seconds(56.9)), 0);
  EXPECT_EQ(due_cores(late, in_seconds(57)), 2) << "a twentieth before";
  EXPECT_EQ(due_cores(late, in_seconds(65.9)), 2);
  EXPECT_EQ(due_cores(late, in_seconds(66)), 0) << "a tenth after it counts what the job shows";
  const CpuProfile soon = profile({{4, 0}, {5, 1}, {9, 0}});
  EXPECT_EQ(due_cores(soon, in_seconds(3.4)), 0);
  EXPECT_EQ(due_cores(soon, in_seconds(3.5)), 1) << "half a second";
  EXPECT_EQ(due_cores(soon, in_seconds(5)), 0) << "it is over";
  EXPECT_EQ(due_cores({}, in_seconds(5)), 0);
}

TEST(CpuPhases, TheMeanOverATimeIsTheWorkInIt) {
  const CpuProfile late = profile({{4, 0}, {6, 2}});
  EXPECT_DOUBLE_EQ(mean_cores(late, in_seconds(4), in_seconds(6)), 2);
  EXPECT_DOUBLE_EQ(mean_cores(late, in_seconds(3), in_seconds(5)), 1);
  EXPECT_DOUBLE_EQ(mean_cores(late, in_seconds(0), in_seconds(8)), 0.5);
  EXPECT_DOUBLE_EQ(mean_cores(late, in_seconds(6), in_seconds(8)), 0);
  EXPECT_DOUBLE_EQ(mean_cores(late, in_seconds(5), in_seconds(5)), 0);
}

}  // namespace
}  // namespace sluice

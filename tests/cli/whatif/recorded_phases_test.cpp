#include "cli/whatif/recorded_phases.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

record::JobFinished finished_run(Duration wall, Duration cpu, Duration delay) {
  record::JobFinished run;
  run.measured = true;
  run.wall = wall;
  run.cpu = cpu;
  run.cpu_delay = delay;
  run.peak = Bytes{1000};
  return run;
}

TEST(RecordedPhases, ARunThatWaitedForCpusIsAsLongAsOnAnIdleMachine) {
  // One thread, runnable all the time, on half a CPU.
  const auto phases = phases_of_run(finished_run(20s, 10s, 10s));
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].runs, 10s);
  EXPECT_DOUBLE_EQ(phases[0].cores, 1);
  EXPECT_EQ(phases[0].growth, Bytes{1000});
}

TEST(RecordedPhases, FollowCoresAndMemoryOverTime) {
  record::JobFinished measured = finished_run(10s, 7s, 0s);
  measured.cores_over_time = {{4s, 250}, {10s, 1000}};
  measured.memory_over_time = {{6s, Bytes{100}}, {10s, Bytes{1000}}};
  const auto phases = phases_of_run(measured);
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].runs, 4s);
  EXPECT_DOUBLE_EQ(phases[0].cores, 0.25);
  EXPECT_EQ(phases[0].memory, Bytes{100});
  EXPECT_EQ(phases[1].runs, 2s);
  EXPECT_DOUBLE_EQ(phases[1].cores, 1);
  EXPECT_EQ(phases[1].memory, Bytes{100});
  EXPECT_EQ(phases[2].runs, 4s);
  EXPECT_EQ(phases[2].memory, Bytes{1000});
}

TEST(RecordedPhases, OfARunThatSleepsNeedNoCpu) {
  EXPECT_EQ(phases_of_run(finished_run(10s, 30ms, 0s)).front().cores, 0);
  record::JobFinished measured = finished_run(10s, 6s, 0s);
  measured.cores_over_time = {{4s, 3}, {10s, 1000}};
  const auto phases = phases_of_run(measured);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].cores, 0);
  EXPECT_DOUBLE_EQ(phases[1].cores, 1);
}

TEST(RecordedPhases, TheRestBeginsWithinAPhase) {
  record::JobFinished measured = finished_run(10s, 7s, 0s);
  measured.cores_over_time = {{4s, 250}, {10s, 1000}};
  const auto rest = rest_of(phases_of_run(measured), 5s, 10s);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].runs, 5s);
  EXPECT_DOUBLE_EQ(rest[0].cores, 1);
  EXPECT_EQ(rest_of(phases_of_run(measured), 1h, 1h).back().runs, 0s);
}

TEST(RecordedPhases, TheRestOfARunThatWaitedForCpusIsAsLongInProportion) {
  const auto rest = rest_of(phases_of_run(finished_run(20s, 10s, 10s)), 5s, 20s);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].runs, 7500ms) << "three quarters of what it takes on an idle machine";
}

TEST(RecordedPhases, TheRestHoldsTheMemoryThatTheRunHeldByThen) {
  const auto rest = rest_of(phases_of_run(finished_run(10s, 10s, 0s)), 4s, 10s);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].memory, Bytes{400});
  EXPECT_EQ(rest[0].growth, Bytes{600});
}

}  // namespace
}  // namespace sluice::cli

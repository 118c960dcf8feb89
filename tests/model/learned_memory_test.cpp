// Memory that is learned and reserved, with the brake: what people run, in virtual hours.

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>

#include "law_world.h"

namespace sluice::model {
namespace {

Figures figures(HostShape host, std::uint64_t seed, int hours) {
  const Scenario scenario{.host = host, .seed = seed, .hours = hours};
  return simulate_core(Law::knee, ExecutorOptions::Learning::history, scenario,
                       std::chrono::milliseconds(100));
}

struct Trial {
  HostShape host;
  std::uint64_t seed = 1;
};

void PrintTo(const Trial& trial, std::ostream* out) {
  *out << trial.host.cores << " cores, " << trial.host.memory_gib << " GiB, seed " << trial.seed;
}

class LearnedMemory : public ::testing::TestWithParam<Trial> {};

TEST_P(LearnedMemory, NothingIsKilledFromTheSecondHourOn) {
  EXPECT_EQ(figures(GetParam().host, GetParam().seed, 2).killed_later_per_hour, 0);
}

INSTANTIATE_TEST_SUITE_P(Machines, LearnedMemory,
                         ::testing::Values(Trial{{2, 8}, 1}, Trial{{2, 8}, 2}, Trial{{8, 32}, 2}));

// The largest jobs have their peak late. Charged with it from their start, two of them never run at
// once on this machine, and it finishes 18 jobs an hour at most.
TEST(MemoryOverTime, LatePeaksThatDoNotMeetRunSideBySide) {
  const Figures learned = figures({8, 32}, 1, 4);
  EXPECT_GT(learned.jobs_per_hour, 20);
  EXPECT_EQ(learned.killed_later_per_hour, 0);
}

// Dozens of jobs start before anything is known of their keys. On this machine eight are killed
// without the brake.
TEST(UnknownMemory, TheBrakeKeepsJobsAliveOfWhichNothingIsKnown) {
  EXPECT_LE(figures({8, 32}, 1, 1).killed_first_hour, 2);
}

}  // namespace
}  // namespace sluice::model

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "host_simulation.h"

namespace sluice::model {
namespace {

constexpr int kSeeds = 3;
constexpr int kHours = 3;

/// A machine, and the bounds that hold on it. Small machines are coarse: on 2 cores one job more or
/// less is a third of the total.
struct Machine {
  HostShape host;
  double most_red;      ///< Red seconds of `adaptive`, as a part of the on/off governor's.
  double most_killed;   ///< The same for jobs killed for memory.
  double least_useful;  ///< CPU spent on finished jobs, as a multiple of the on/off governor's.
};

void PrintTo(const Machine& machine, std::ostream* out) {
  *out << machine.host.cores << " cores, " << machine.host.memory_gib << " GiB";
}

/// The mean over the seeds for one policy on one machine.
Figures figures(Policy policy, HostShape host, Arrivals arrivals = Arrivals::endless) {
  Scenario scenario;
  scenario.host = host;
  scenario.arrivals = arrivals;
  scenario.hours = kHours;
  return simulate_seeds(policy, scenario, kSeeds);
}

class LawComparison : public ::testing::TestWithParam<Machine> {
 protected:
  const Machine& machine() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Machines, LawComparison,
                         ::testing::Values(Machine{{2, 8}, 0.90, 0.75, 1.6},
                                           Machine{{8, 32}, 0.75, 0.75, 1.4},
                                           Machine{{16, 64}, 0.62, 0.60, 1.5},
                                           Machine{{16, 128}, 0.65, 1.0, 1.03},
                                           Machine{{64, 256}, 0.35, 0.35, 1.3}),
                         [](const auto& test) {
                           return std::to_string(test.param.host.cores) + "Cores" +
                                  std::to_string(static_cast<int>(test.param.host.memory_gib)) +
                                  "GiB";
                         });

TEST_P(LawComparison, AdaptiveBeatsTheOnOffGovernor) {
  const Figures ours = figures(Policy::adaptive, machine().host);
  const Figures theirs = figures(Policy::on_off, machine().host);
  // Sluice counts with hysteresis and the memory pressure sensor, Zuul without either.
  EXPECT_LE(ours.red_per_hour, machine().most_red * theirs.red_per_hour);
  EXPECT_LE(ours.over_per_hour, machine().most_red * theirs.over_per_hour);
  EXPECT_LE(ours.killed_per_hour, machine().most_killed * theirs.killed_per_hour);
  EXPECT_GE(ours.useful, machine().least_useful * theirs.useful);
  EXPECT_GE(ours.jobs_per_hour, theirs.jobs_per_hour);
}

TEST_P(LawComparison, AdaptiveIsNeitherIdleNorOscillating) {
  const Figures ours = figures(Policy::adaptive, machine().host);
  EXPECT_GE(ours.busy, 0.85);
  EXPECT_LE(ours.reversals_per_hour, 26);
  EXPECT_LE(ours.running_sd, 0.4 * ours.running_mean);
}

TEST_P(LawComparison, RfcOscillatesMoreAndIsRedLonger) {
  const Figures ours = figures(Policy::adaptive, machine().host);
  const Figures rfc = figures(Policy::rfc, machine().host);
  EXPECT_LT(ours.red_per_hour, rfc.red_per_hour);
  EXPECT_LT(ours.killed_per_hour, rfc.killed_per_hour);
  EXPECT_LT(ours.running_sd, rfc.running_sd);
}

TEST(LawComparisonSeeds, EverySeedIsRedLess) {
  for (const std::uint64_t seed : {11, 12, 13, 14, 15, 16, 17, 18}) {
    Scenario scenario;
    scenario.seed = seed;
    scenario.hours = kHours;
    const Figures ours = simulate(Policy::adaptive, scenario);
    const Figures theirs = simulate(Policy::on_off, scenario);
    EXPECT_LT(ours.red_per_hour, 0.8 * theirs.red_per_hour) << "seed " << seed;
    EXPECT_LE(ours.killed_per_hour, theirs.killed_per_hour) << "seed " << seed;
    EXPECT_GT(ours.useful, theirs.useful) << "seed " << seed;
  }
}

TEST(LawComparisonBursts, AdaptiveServesBursts) {
  for (const HostShape host : {HostShape{2, 8}, HostShape{16, 64}, HostShape{64, 256}}) {
    const Figures ours = figures(Policy::adaptive, host, Arrivals::bursts);
    const Figures theirs = figures(Policy::on_off, host, Arrivals::bursts);
    EXPECT_LE(ours.over_per_hour, theirs.over_per_hour) << host.cores;
    EXPECT_LE(ours.killed_per_hour, theirs.killed_per_hour) << host.cores;
    EXPECT_GE(ours.useful, theirs.useful) << host.cores;
  }
}

TEST(LawComparisonScenario, SameScenarioGivesTheSameFigures) {
  const Figures one = figures(Policy::adaptive, {16, 64});
  const Figures other = figures(Policy::adaptive, {16, 64});
  EXPECT_EQ(one.jobs_per_hour, other.jobs_per_hour);
  EXPECT_EQ(one.red_per_hour, other.red_per_hour);
  EXPECT_EQ(one.running_sd, other.running_sd);
}

}  // namespace
}  // namespace sluice::model

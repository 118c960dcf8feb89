#include <gtest/gtest.h>

#include <vector>

#include "fakes.h"
#include "governor/red_sensors.h"

// The vectors are those of Zuul's own tests of its starting-builds sensor and its executor (S, C,
// P, L and R rows), and the bursts that follow from its formula.
namespace sluice {
namespace {

using fakes::at;
using fakes::core_of;
using fakes::costing;
using fakes::reporting_start;

GovernorOptions gate_of(int most, int floor) {
  GovernorOptions options = fakes::window_of(100'000, 100'000);
  options.starting_most = most;
  options.starting_floor = floor;
  options.window.dwell = Duration{0};
  return options;
}

/// The number of jobs one pass starts while `running` started jobs run.
std::size_t burst(int most, int floor, int running) {
  Core core = core_of(gate_of(most, floor));
  for (int i = 0; i < running; ++i) core.try_admit(costing(1), at(0));
  for (int i = 0; i < 400; ++i) core.submit(reporting_start(1), at(0));
  return core.pass(at(0)).size();
}

TEST(Starting, DefaultsAreZuulsByCpus) {  // C1
  for (int cpus = 1; cpus <= 128; ++cpus) {
    const StartingOptions options;
    const int most = static_cast<int>(cpus * 2.5 * (cpus <= 4 ? 2 : 1));
    EXPECT_EQ(options.most_on(cpus), most) << cpus;
    EXPECT_EQ(options.floor_on(cpus), std::max(cpus / 2, 1)) << cpus;
  }
}

TEST(Starting, ConfiguredMostCapsTheFloor) {  // C2, C3
  for (int cpus = 1; cpus <= 128; ++cpus) {
    StartingOptions options;
    options.most = 5;
    EXPECT_EQ(options.most_on(cpus), 5);
    EXPECT_EQ(options.floor_on(cpus), std::min(std::max(cpus / 2, 1), 5));
    options.most = 1;
    EXPECT_EQ(options.most_on(cpus), 1);
    EXPECT_EQ(options.floor_on(cpus), 1);
  }
}

TEST(Starting, FractionOfACpuStillStartsSomething) {
  const StartingOptions options;
  EXPECT_EQ(options.most_on(0.1), 1);
  EXPECT_EQ(options.floor_on(0.1), 1);
}

TEST(Starting, LimitShrinksWithWhatRunsDownToTheFloor) {
  const GovernorOptions options = gate_of(20, 4);
  EXPECT_EQ(starting_limit(options, 0), 20);
  EXPECT_EQ(starting_limit(options, 15), 5);
  EXPECT_EQ(starting_limit(options, 16), 4);
  EXPECT_EQ(starting_limit(options, 1000), 4);
}

TEST(Starting, BurstFromIdleEndsNearHalfTheMost) {
  struct Row {
    int cpus;
    std::size_t admitted;  ///< With Zuul's present defaults.
    std::size_t before;    ///< With its earlier ones: a maximum of 5 per CPU on every machine.
  };
  for (const Row& row : std::vector<Row>{{1, 3, 3},
                                         {2, 5, 5},
                                         {3, 8, 8},
                                         {4, 10, 10},
                                         {5, 6, 13},
                                         {6, 8, 15},
                                         {7, 9, 18},
                                         {8, 10, 20},
                                         {16, 20, 40},
                                         {32, 40, 80},
                                         {64, 80, 160}}) {
    const StartingOptions options;
    EXPECT_EQ(burst(options.most_on(row.cpus), options.floor_on(row.cpus), 0), row.admitted)
        << row.cpus;
    EXPECT_EQ(burst(row.cpus * 5, std::max(row.cpus / 2, 1), 0), row.before) << row.cpus;
  }
}

TEST(Starting, BurstBesideStartedJobs) {
  const std::vector<std::pair<int, std::size_t>> rows{{0, 10}, {5, 8},  {10, 5},
                                                      {12, 4}, {20, 4}, {100, 4}};
  for (const auto& [running, admitted] : rows) {
    EXPECT_EQ(burst(20, 4, running), admitted) << running;
  }
}

TEST(Starting, BurstUnderAConfiguredMost) {
  const std::vector<std::pair<int, std::size_t>> rows{{2, 3}, {4, 3}, {8, 4}, {16, 5}};
  for (const auto& [cpus, admitted] : rows) {
    StartingOptions options;
    options.most = 5;
    EXPECT_EQ(burst(options.most_on(cpus), options.floor_on(cpus), 0), admitted) << cpus;
  }
  EXPECT_EQ(burst(1, 1, 0), 1u);
}

// With a maximum of 0 Zuul never accepts. Here the options refuse it, and the gate is never red
// while nothing starts, so no arithmetic can keep a machine idle for ever.
TEST(Starting, MostOfZeroCannotStarveAnIdleMachine) { EXPECT_EQ(burst(0, 0, 0), 1u); }

TEST(Starting, JobsThatDoNotReportTheirStartNeverCount) {
  Core core = core_of(gate_of(1, 1));
  for (int i = 0; i < 10; ++i) core.submit(costing(1), at(0));
  EXPECT_EQ(core.pass(at(0)).size(), 10u);
  EXPECT_EQ(core.status(at(0)).starting, 0u);
}

TEST(Starting, SwitchedOffGateLetsEverythingPass) {
  GovernorOptions options = gate_of(1, 1);
  options.starting = Presence::off;
  Core core = core_of(options);
  for (int i = 0; i < 10; ++i) core.submit(reporting_start(1), at(0));
  EXPECT_EQ(core.pass(at(0)).size(), 10u);
  EXPECT_EQ(core.status(at(0)).starting, 10u);
  EXPECT_EQ(core.status(at(0)).sensors.size(), 1u);
}

TEST(Starting, ReportedStartAndFinishBothMakeRoomOnce) {
  Core core = core_of(gate_of(1, 1));
  const auto first = std::get<Admitted>(core.try_admit(reporting_start(1), at(0)));
  const auto refusal = std::get<Refusal>(core.try_admit(reporting_start(1), at(0)));
  EXPECT_EQ(refusal.code, RefusalCode::sensor);
  EXPECT_EQ(refusal.binding, "starting");
  core.started(first.slot);
  core.started(first.slot);
  EXPECT_EQ(core.status(at(1)).starting, 0u);
  const auto second = std::get<Admitted>(core.try_admit(reporting_start(1), at(1)));
  core.finish(first.slot, Outcome::ok, at(2));
  EXPECT_EQ(core.status(at(2)).starting, 1u);
  core.finish(second.slot, Outcome::failed, at(2));
  EXPECT_EQ(core.status(at(2)).starting, 0u);
}

TEST(Starting, ReadingShowsTheGateAsItActs) {
  const GovernorOptions options = gate_of(10, 2);
  EXPECT_LT(starting_reading(options, 4, 4).pressure(), 1);
  EXPECT_EQ(starting_reading(options, 5, 5).pressure(), 1);
  EXPECT_EQ(starting_reading(options, 0, 100).pressure(), 0);
  EXPECT_EQ(starting_reading(options, 5, 5).sentence, "5 of at most 5 jobs in set-up, 5 running");
  EXPECT_EQ(starting_reading(gate_of(10, 1), 0, 100).sentence,
            "0 of at most 1 job in set-up, 100 running");
}

TEST(Starting, RegistrationFollowsTheGate) {  // S0 - S4
  Core core = core_of(gate_of(1, 1));
  EXPECT_TRUE(core.check_registration(at(0)).state.registered);  // S0
  const auto one = std::get<Admitted>(core.try_admit(reporting_start(1), at(1)));
  EXPECT_FALSE(core.check_registration(at(1)).state.registered);  // S1
  core.finish(one.slot, Outcome::ok, at(2));

  core.reload(gate_of(3, 1), fakes::flat(5), {}, at(3));
  EXPECT_TRUE(core.check_registration(at(3)).state.registered);  // S2
  const auto two = std::get<Admitted>(core.try_admit(reporting_start(1), at(4)));
  const auto three = std::get<Admitted>(core.try_admit(reporting_start(1), at(4)));
  core.started(two.slot);
  EXPECT_FALSE(core.check_registration(at(5)).state.registered);  // S3
  core.finish(two.slot, Outcome::ok, at(6));
  core.finish(three.slot, Outcome::ok, at(6));
  EXPECT_TRUE(core.check_registration(at(6)).state.registered);  // S4
}

TEST(Starting, PausedGovernorIsNotRegistered) {  // P1
  Core core = core_of(gate_of(5, 1));
  EXPECT_TRUE(core.check_registration(at(0)).state.registered);
  core.operate(Switch::paused);
  EXPECT_FALSE(core.check_registration(at(1)).state.registered);
  core.operate(Switch::running);
  EXPECT_TRUE(core.check_registration(at(2)).state.registered);
}

TEST(Starting, RegistrationFollowsTheSensors) {  // L1, L2, R1, R2
  Core core = core_of(gate_of(5, 1), {fakes::known("load"), fakes::known("memory")});
  fakes::show(core, {0.0, 0.0625}, at(0));
  EXPECT_TRUE(core.check_registration(at(0)).state.registered);
  fakes::show(core, {1.04, 0.0625}, at(1));
  EXPECT_FALSE(core.check_registration(at(1)).state.registered);
  fakes::show(core, {0.0, 0.0625}, at(2));
  EXPECT_TRUE(core.check_registration(at(2)).state.registered);
  fakes::show(core, {0.0, 5}, at(3));
  EXPECT_FALSE(core.check_registration(at(3)).state.registered);
}

TEST(Starting, ExecutorThatIsRedAtTheStartIsNeverAnnouncedAsOpen) {
  Core core = core_of(gate_of(5, 1), {fakes::known("load")});
  fakes::show(core, {1.04}, at(0));
  const auto step = core.check_registration(at(0));
  EXPECT_TRUE(step.changed);
  EXPECT_FALSE(step.state.registered);
}

}  // namespace
}  // namespace sluice

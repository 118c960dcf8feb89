#include <gtest/gtest.h>

#include <ostream>

#include "sluice/options.h"

namespace sluice {
namespace {

using Given = std::optional<PointsSpec>;

constexpr PointsSpec machine(double points) { return {points, PointsSpec::Per::machine}; }
constexpr PointsSpec cpu(double points) { return {points, PointsSpec::Per::cpu}; }

struct SpecCase {
  const char* name;
  PointsSpec spec;
  double cpus;
  std::int64_t expected;
};

void PrintTo(const SpecCase& given, std::ostream* out) { *out << given.name; }

class PointsSpecTable : public ::testing::TestWithParam<SpecCase> {};

TEST_P(PointsSpecTable, OnAMachine) {
  EXPECT_EQ(GetParam().spec.on(GetParam().cpus), Points{GetParam().expected});
}

const auto kName = [](const auto& test) { return test.param.name; };

INSTANTIATE_TEST_SUITE_P(All, PointsSpecTable,
                         ::testing::Values(SpecCase{"Machine", machine(40), 8, 40},
                                           SpecCase{"MachineFraction", machine(40.9), 8, 40},
                                           SpecCase{"PerCpu", cpu(10), 8, 80},
                                           SpecCase{"PerCpuOfAQuota", cpu(15), 2.5, 37},
                                           SpecCase{"HalfACpu", cpu(10), 0.5, 5},
                                           SpecCase{"AtLeastOne", cpu(10), 0.05, 1},
                                           SpecCase{"ZeroIsOne", machine(0), 8, 1},
                                           SpecCase{"AtMostTheMost", cpu(1e6), 64, 16777215}),
                         kName);

struct Settled {
  std::int64_t initial, minimum, maximum, threshold;
};

struct SettleCase {
  const char* name;
  double cpus = 4;
  Given initial = {}, minimum = {}, maximum = {}, threshold = {};
  Settled settled;
};

void PrintTo(const SettleCase& given, std::ostream* out) { *out << given.name; }

class SettleTable : public ::testing::TestWithParam<SettleCase> {};

TEST_P(SettleTable, DefaultsGiveWayToWhatIsGiven) {
  const SettleCase& given = GetParam();
  WindowOptions options;
  options.law = Law::adaptive;
  options.initial = given.initial;
  options.minimum = given.minimum;
  options.maximum = given.maximum;
  options.threshold = given.threshold;
  const WindowParameters settled = settle(options, given.cpus);
  EXPECT_EQ(settled.initial.value, given.settled.initial);
  EXPECT_EQ(settled.minimum.value, given.settled.minimum);
  EXPECT_EQ(settled.maximum.value, given.settled.maximum);
  EXPECT_EQ(settled.threshold.value, given.settled.threshold);
}

INSTANTIATE_TEST_SUITE_P(
    All, SettleTable,
    ::testing::Values(
        SettleCase{.name = "Initial", .initial = machine(77), .settled = {77, 10, 400, 60}},
        SettleCase{.name = "InitialBelowDefaultMinimum",
                   .initial = machine(5),
                   .settled = {5, 5, 400, 60}},
        SettleCase{.name = "InitialAboveDefaultMaximum",
                   .initial = machine(900),
                   .settled = {900, 10, 900, 60}},
        SettleCase{
            .name = "InitialPerCpu", .cpus = 1.5, .initial = cpu(9), .settled = {13, 10, 150, 22}},
        SettleCase{.name = "Minimum",
                   .initial = machine(50),
                   .minimum = machine(20),
                   .settled = {50, 20, 400, 60}},
        SettleCase{.name = "MinimumAboveDefaultInitial",
                   .minimum = machine(90),
                   .settled = {90, 90, 400, 60}},
        SettleCase{.name = "MinimumAboveDefaultMaximum",
                   .minimum = machine(500),
                   .settled = {500, 500, 500, 60}},
        SettleCase{.name = "MaximumBelowDefaultInitial",
                   .maximum = machine(30),
                   .settled = {30, 10, 30, 30}},
        SettleCase{
            .name = "MaximumBelowDefaultMinimum", .maximum = machine(7), .settled = {7, 7, 7, 7}},
        SettleCase{.name = "MaximumAndInitial",
                   .initial = machine(20),
                   .maximum = machine(30),
                   .settled = {20, 10, 30, 30}},
        SettleCase{.name = "MinimumAndInitial",
                   .initial = machine(600),
                   .minimum = machine(500),
                   .settled = {600, 500, 600, 60}},
        SettleCase{.name = "MinimumAndMaximum",
                   .minimum = machine(5),
                   .maximum = machine(8),
                   .settled = {8, 5, 8, 8}},
        SettleCase{.name = "Threshold",
                   .initial = machine(40),
                   .threshold = machine(25),
                   .settled = {40, 10, 400, 25}},
        SettleCase{.name = "ThresholdPerCpu",
                   .cpus = 2.5,
                   .initial = machine(40),
                   .threshold = cpu(25),
                   .settled = {40, 10, 250, 62}},
        SettleCase{.name = "ThresholdStaysAsGiven",
                   .initial = machine(20),
                   .maximum = machine(30),
                   .threshold = machine(90),
                   .settled = {20, 10, 30, 90}},
        SettleCase{.name = "All",
                   .initial = machine(20),
                   .minimum = machine(15),
                   .maximum = machine(30),
                   .threshold = machine(25),
                   .settled = {20, 15, 30, 25}}),
    kName);

TEST(Settle, DefaultsAreCoresInPoints) {
  const WindowParameters settled = settle({}, 4);
  EXPECT_EQ(settled.law, Law::knee);
  EXPECT_EQ(settled.initial, Points{60});
  EXPECT_EQ(settled.minimum, Points{10});
  EXPECT_EQ(settled.maximum, Points{400});
  EXPECT_EQ(settled.threshold, Points{400}) << "busy CPUs end its growth";
  EXPECT_EQ(settled.blind_threshold, Points{60});
  EXPECT_EQ(settled.step, Points{10});
}

TEST(Settle, SlowStartOfALawThatDoesNotSeeTheCpusEndsEarlier) {
  WindowOptions options;
  options.law = Law::adaptive;
  EXPECT_EQ(settle(options, 4).threshold, Points{60});
}

TEST(Settle, TinyQuotaStillHasRoomForOneJob) {
  const WindowParameters settled = settle({}, 0.25);
  EXPECT_EQ(settled.initial, Points{10});
  EXPECT_EQ(settled.minimum, Points{10});
  EXPECT_EQ(settled.maximum, Points{25});
}

// Every combination of given and missing values keeps the bounds in order and the given values
// unchanged, unless the given values contradict each other.
TEST(Settle, AnyCombinationIsInOrder) {
  const std::vector<Given> choices{std::nullopt,  machine(1), machine(9), machine(40),
                                   machine(2000), cpu(0.5),   cpu(30)};
  int checked = 0;
  for (const double cpus : {0.1, 0.5, 1.0, 1.5, 64.0}) {
    for (const Given& initial : choices) {
      for (const Given& minimum : choices) {
        for (const Given& maximum : choices) {
          WindowOptions options;
          options.initial = initial;
          options.minimum = minimum;
          options.maximum = maximum;
          const bool contradiction =
              (initial && minimum && initial->on(cpus) < minimum->on(cpus)) ||
              (initial && maximum && initial->on(cpus) > maximum->on(cpus)) ||
              (minimum && maximum && minimum->on(cpus) > maximum->on(cpus));
          if (contradiction) continue;
          const WindowParameters settled = settle(options, cpus);
          ASSERT_LE(settled.minimum, settled.initial);
          ASSERT_LE(settled.initial, settled.maximum);
          ASSERT_LE(settled.threshold, settled.maximum);
          if (initial) {
            ASSERT_EQ(settled.initial, initial->on(cpus));
          }
          if (minimum) {
            ASSERT_EQ(settled.minimum, minimum->on(cpus));
          }
          if (maximum) {
            ASSERT_EQ(settled.maximum, maximum->on(cpus));
          }
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(Settle, CarriesTheRestOver) {
  WindowOptions options;
  options.law = Law::rfc;
  options.step = cpu(2.5);
  options.increase_above = 0.7;
  options.interval = std::chrono::milliseconds(20);
  options.round = std::chrono::seconds(7);
  options.cut_settle = std::chrono::seconds(8);
  options.cut_gain = 0.3;
  options.hard = 1.7;
  options.idle_restart = std::chrono::minutes(3);
  options.dwell = std::chrono::seconds(4);
  const WindowParameters settled = settle(options, 3.5);
  EXPECT_EQ(settled.law, Law::rfc);
  EXPECT_EQ(settled.step, Points{8});
  EXPECT_EQ(settled.increase_above, 0.7);
  EXPECT_EQ(settled.interval, options.interval);
  EXPECT_EQ(settled.round, options.round);
  EXPECT_EQ(settled.cut_settle, options.cut_settle);
  EXPECT_EQ(settled.cut_gain, 0.3);
  EXPECT_EQ(settled.hard, 1.7);
  EXPECT_EQ(settled.idle_restart, options.idle_restart);
  EXPECT_EQ(settled.dwell, options.dwell);
}

}  // namespace
}  // namespace sluice

#include "governor/law/sensor_state.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::failed;
using fakes::measured;

std::vector<bool> verdicts(double resume, const std::vector<double>& pressures) {
  SensorPolicy policy;
  policy.resume = resume;
  SensorState sensor_state;
  std::vector<bool> red;
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    sensor_state = judge(policy, sensor_state, measured(at(static_cast<double>(i)), pressures[i]));
    red.push_back(sensor_state.red);
  }
  return red;
}

TEST(SensorState, RedFromPressureOneAndGreenOnlyBelowResume) {
  EXPECT_EQ(verdicts(0.9, {0.5, 0.999, 1, 0.95, 0.9, 0.899, 0.95, 0.999, 1.0001}),
            (std::vector<bool>{false, false, true, true, true, false, false, false, true}));
}

TEST(SensorState, ResumeOfOneSwitchesHysteresisOff) {
  EXPECT_EQ(verdicts(1, {0.999, 1, 0.999, 1, 0.5}),
            (std::vector<bool>{false, true, false, true, false}));
}

TEST(SensorState, FailureKeepsVerdictAndReadingAndIsCounted) {
  const SensorPolicy policy;
  auto sensor_state = judge(policy, {}, measured(at(1), 1.5));
  sensor_state = judge(policy, sensor_state, failed(at(2), "no such file"));
  EXPECT_TRUE(sensor_state.red);
  EXPECT_FALSE(sensor_state.up);
  EXPECT_EQ(sensor_state.failure, "no such file");
  EXPECT_EQ(sensor_state.failures, 1u);
  EXPECT_EQ(sensor_state.taken, at(1));
  EXPECT_EQ(sensor_state.reading->pressure(), 1.5);
  sensor_state = judge(policy, sensor_state, measured(at(3), 0.1));
  EXPECT_TRUE(sensor_state.up);
  EXPECT_FALSE(sensor_state.red);
  EXPECT_EQ(sensor_state.failure, "");
  EXPECT_EQ(sensor_state.failures, 1u);
}

TEST(SensorState, SameFailedAttemptHandedOutAgainIsCountedOnce) {
  const SensorPolicy policy;
  auto sensor_state = judge(policy, {}, failed(at(1)));
  sensor_state = judge(policy, sensor_state, failed(at(1)));
  sensor_state = judge(policy, sensor_state, failed(at(1)));
  EXPECT_EQ(sensor_state.failures, 1u);
  sensor_state = judge(policy, sensor_state, failed(at(2)));
  EXPECT_EQ(sensor_state.failures, 2u);
}

TEST(SensorState, ReadingWithoutAUsablePressureIsAFailureAndNotAllFree) {
  const SensorPolicy policy;
  Reading beside = fakes::reading(0.1);
  beside.worst = 1;
  const std::vector<Reading> flawed{fakes::reading(std::numeric_limits<double>::quiet_NaN()),
                                    fakes::reading(-0.5), beside};
  for (const Reading& reading : flawed) {
    auto sensor_state = judge(policy, {}, measured(at(1), 2));
    sensor_state = judge(policy, sensor_state, {at(2), reading});
    EXPECT_TRUE(sensor_state.red);
    EXPECT_FALSE(sensor_state.up);
    EXPECT_EQ(sensor_state.failures, 1u);
    EXPECT_NE(sensor_state.failure, "");
    EXPECT_EQ(sensor_state.reading->pressure(), 2);
  }
}

TEST(SensorState, InfinitePressureIsRed) {
  const auto sensor_state = judge({}, {}, measured(at(1), std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(sensor_state.red);
  EXPECT_TRUE(sensor_state.up);
}

TEST(SensorState, ReadingWithoutConditionsIsGreen) {
  const auto sensor_state = judge({}, {}, {at(1), Reading{}});
  EXPECT_FALSE(sensor_state.red);
  EXPECT_TRUE(sensor_state.up);
}

TEST(SensorState, FreshUntilMaxAgeInclusive) {
  SensorPolicy policy;
  policy.max_age = std::chrono::seconds(10);
  const auto sensor_state = judge(policy, {}, measured(at(5), 0));
  EXPECT_TRUE(is_fresh(policy, sensor_state, at(5)));
  EXPECT_TRUE(is_fresh(policy, sensor_state, at(15)));
  EXPECT_FALSE(is_fresh(policy, sensor_state, at(15.001)));
  EXPECT_FALSE(is_fresh(policy, judge(policy, sensor_state, failed(at(6))), at(6)));
  EXPECT_FALSE(is_fresh(policy, SensorState{}, at(0)));
}

struct OnErrorRow {
  OnError on_error;
  bool counts, red_after_red, red_after_green, fresh;
};

class OnErrorTest : public ::testing::TestWithParam<OnErrorRow> {};

TEST_P(OnErrorTest, DecidesWhatAFailedOrStaleSensorCountsAs) {
  const OnErrorRow row = GetParam();
  SensorPolicy policy;
  policy.on_error = row.on_error;
  policy.acts = Acts::congestion;
  for (const double last : {1.5, 0.2}) {
    const auto good = judge(policy, {}, measured(at(0), last));
    const auto broken = judge(policy, good, failed(at(1)));
    const std::vector<std::pair<SensorState, TimePoint>> cases{{broken, at(1)}, {good, at(60)}};
    for (const auto& [sensor_state, now] : cases) {
      const auto judged = effective_state("load", policy, sensor_state, now);
      ASSERT_EQ(judged.has_value(), row.counts);
      if (!judged) continue;
      EXPECT_EQ(judged->red, last > 1 ? row.red_after_red : row.red_after_green);
      EXPECT_EQ(judged->fresh, row.fresh);
      EXPECT_EQ(judged->acts, row.on_error == OnError::red ? Acts::gate : Acts::congestion)
          << "nothing was measured that a smaller window would cure";
      EXPECT_EQ(judged->name, "load");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnErrorTest,
                         ::testing::Values(OnErrorRow{OnError::hold, true, true, false, false},
                                           OnErrorRow{OnError::red, true, true, true, false},
                                           OnErrorRow{OnError::green, true, false, false, true},
                                           OnErrorRow{OnError::ignore, false, false, false, false}),
                         [](const auto& row) {
                           return std::string(to_string(row.param.on_error));
                         });

TEST(SensorState, FreshSensorCountsAsItReadsWhateverOnErrorSays) {
  for (const OnError on_error : {OnError::hold, OnError::red, OnError::green, OnError::ignore}) {
    SensorPolicy policy;
    policy.on_error = on_error;
    const auto judged =
        effective_state("load", policy, judge(policy, {}, measured(at(0), 0.4)), at(1));
    ASSERT_TRUE(judged);
    EXPECT_FALSE(judged->red);
    EXPECT_TRUE(judged->fresh);
    EXPECT_EQ(judged->pressure, 0.4);
  }
}

TEST(SensorState, SensorRedByItsErrorHasThePressureOfItsLimit) {
  SensorPolicy policy;
  policy.on_error = OnError::red;
  EXPECT_EQ(effective_state("load", policy, SensorState{}, at(0))->pressure, 1);
}

}  // namespace
}  // namespace sluice

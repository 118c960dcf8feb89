#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/seconds.h"
#include "window_script.h"

namespace sluice::window_test {
namespace {

constexpr int kSequences = 20;
constexpr int kLooks = 1000;

/// One step of a random sequence, and its result.
struct Look {
  WindowParameters parameters;
  WindowState before;
  Points usage;
  Demand demand;
  std::vector<JudgedSensor> sensors;
  TimePoint now;
  WindowStep step;

  WindowStep again(const std::vector<JudgedSensor>& other) const {
    return step_window(parameters, before, {usage, demand.refused, demand.pending, other, now});
  }
  std::int64_t from() const { return before.size.value; }
  std::int64_t to() const { return step.state.size.value; }
};

/// Sequences of steps with random parameters. They omit what the governor never does: nothing is
/// refused for the window while nothing runs (liveness), one rule judges all sensors, and time does
/// not go back. Machines are calm, busy and overloaded in turn.
class Sequence {
 public:
  Sequence(Law law, std::uint64_t seed) : random_(seed) {
    WindowOptions options;
    options.law = law;
    options.minimum = PointsSpec{number(1, 30)};
    options.maximum = PointsSpec{options.minimum->points + number(0, 500)};
    options.initial = PointsSpec{number(options.minimum->points, options.maximum->points)};
    options.threshold = PointsSpec{number(1, options.maximum->points)};
    options.step = PointsSpec{number(1, 40)};
    options.increase_above = number(0.3, 1);
    options.round = seconds(number(0.1, 40));
    options.cut_settle = seconds(number(0, 900));
    options.cut_gain = number(0.05, 1);
    options.hard = number(1, 2);
    options.idle_restart = seconds(number(100, 700));
    parameters_ = settle(options, 1);
    state_ = open_window(parameters_, now_);
  }

  Look next() {
    now_ += seconds(chance(0.9) ? 1 : number(0.01, 120));
    if (chance(0.02)) mood_ = number(0, 1.6);
    if (chance(0.01)) idle_ = !idle_;
    const std::int64_t most = state_.size.value * 3 / 2;
    const Points usage{idle_ ? 0 : static_cast<std::int64_t>(number(0, static_cast<double>(most)))};
    Demand demand;
    demand.pending = usage > Points{0} && chance(0.7);
    demand.refused = demand.pending && chance(0.3);
    move_sensors();
    Look look{parameters_, state_, usage, demand, sensors_, now_, {}};
    look.step = look.again(sensors_);
    state_ = look.step.state;
    return look;
  }

 private:
  static Duration seconds(double value) { return from_seconds(value); }
  double number(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  bool chance(double part) { return number(0, 1) < part; }

  void move_sensors() {
    for (JudgedSensor& sensor : sensors_) {
      if (sensor.acts == Acts::gate) {
        sensor.red = chance(sensor.red ? 0.8 : 0.02);
        sensor.pressure = sensor.red ? 1.5 : number(0, 0.99);
      } else {
        sensor.pressure = std::max(0.0, number(mood_ - 0.3, mood_ + 0.3));
        sensor.red = sensor.pressure >= (sensor.red ? 0.9 : 1.0);
      }
      sensor.fresh = chance(0.97);
    }
  }

  std::mt19937_64 random_;
  WindowParameters parameters_;
  WindowState state_;
  TimePoint now_ = at(0);
  double mood_ = 0.3;
  bool idle_ = false;
  std::vector<JudgedSensor> sensors_{green(0, "load"), green(0, "memory"), green_gate(0, "disk"),
                                     green_gate(0, "pause")};
};

bool freezes(Law law, const JudgedSensor& sensor) {
  return sensor.red && sensor.acts == Acts::gate &&
         (law == Law::adaptive || sensor.name == "pause");
}

bool any_red(const Look& look) {
  return std::any_of(look.sensors.begin(), look.sensors.end(), [](auto& s) { return s.red; });
}

bool frozen(const Look& look) {
  return std::any_of(look.sensors.begin(), look.sensors.end(),
                     [&](auto& s) { return freezes(look.parameters.law, s); });
}

bool all_fresh(const Look& look) {
  return std::all_of(look.sensors.begin(), look.sensors.end(), [](auto& s) { return s.fresh; });
}

bool grew(const Look& look) { return look.to() > look.from(); }

class WindowProperty : public ::testing::TestWithParam<Law> {
 protected:
  template <typename Check>
  void for_all(Check check) {
    for (int run = 1; run <= kSequences; ++run) {
      Sequence sequence(GetParam(), static_cast<std::uint64_t>(run));
      for (int count = 0; count < kLooks && !HasFatalFailure(); ++count) {
        SCOPED_TRACE(::testing::Message() << "run " << run << ", look " << count);
        check(sequence.next());
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Laws, WindowProperty, ::testing::Values(Law::rfc, Law::adaptive),
                         [](const auto& test) {
                           return test.param == Law::rfc ? "rfc" : "adaptive";
                         });

TEST_P(WindowProperty, SizeStaysWithinItsBounds) {
  for_all([](const Look& look) {
    ASSERT_GE(look.step.state.size, look.parameters.minimum);
    ASSERT_LE(look.step.state.size, look.parameters.maximum);
  });
}

TEST_P(WindowProperty, SameInputsGiveTheSameOutput) {
  for_all([](const Look& look) {
    const WindowStep again = look.again(look.sensors);
    ASSERT_EQ(again.state.size, look.step.state.size);
    ASSERT_EQ(again.state.threshold, look.step.state.threshold);
    ASSERT_EQ(again.state.round_began, look.step.state.round_began);
    ASSERT_EQ(again.state.wanted, look.step.state.wanted);
    ASSERT_EQ(again.state.last_cut, look.step.state.last_cut);
    ASSERT_EQ(again.cause, look.step.cause);
  });
}

TEST_P(WindowProperty, HigherPressureNeverGivesALargerWindow) {
  for_all([](const Look& look) {
    for (const double more : {0.001, 0.05, 0.2, 1.0, 20.0}) {
      std::vector<JudgedSensor> higher = look.sensors;
      higher[0].pressure += more;
      higher[0].red = higher[0].red || higher[0].pressure >= 1;
      ASSERT_LE(look.again(higher).state.size, look.step.state.size) << "by " << more;
    }
  });
}

TEST_P(WindowProperty, SensorTurnedRedNeverGivesALargerWindow) {
  for_all([](const Look& look) {
    std::vector<JudgedSensor> worse = look.sensors;
    worse[1].red = true;
    ASSERT_LE(look.again(worse).state.size, look.step.state.size);
  });
}

TEST_P(WindowProperty, NoGrowthOnStaleReadings) {
  int growths = 0;
  for_all([&](const Look& look) {
    if (grew(look)) {
      ASSERT_TRUE(all_fresh(look));
    }
    growths += grew(look) ? 1 : 0;
  });
  EXPECT_GT(growths, 100);
}

TEST_P(WindowProperty, NoGrowthWhileAnythingIsRed) {
  for_all([](const Look& look) {
    if (any_red(look)) {
      ASSERT_LE(look.to(), look.from());
    }
  });
}

TEST_P(WindowProperty, NothingMovesWhileFrozen) {
  int frozen_looks = 0;
  for_all([&](const Look& look) {
    if (!frozen(look)) return;
    ++frozen_looks;
    ASSERT_EQ(look.to(), look.from());
    ASSERT_EQ(look.step.state.threshold, look.before.threshold);
    ASSERT_FALSE(look.step.cause);
  });
  EXPECT_GT(frozen_looks, 1000);
}

TEST_P(WindowProperty, EveryChangeHasACauseThatFits) {
  for_all([](const Look& look) {
    ASSERT_EQ(look.step.cause.has_value(), look.to() != look.from());
    if (!look.step.cause) return;
    const bool upwards =
        look.step.cause == WindowCause::slow_start || look.step.cause == WindowCause::growth;
    ASSERT_EQ(upwards, grew(look));
    if (look.step.cause == WindowCause::red) {
      ASSERT_TRUE(any_red(look));
      ASSERT_FALSE(look.step.sensor.empty());
    }
    if (look.step.cause == WindowCause::idle_restart) {
      ASSERT_EQ(look.usage, Points{0});
      ASSERT_EQ(look.step.state.size, look.parameters.initial);
    }
  });
}

TEST_P(WindowProperty, CutIsBelowUsageOrAtTheMinimum) {
  int cuts = 0;
  for_all([&](const Look& look) {
    if (look.step.cause != WindowCause::red) return;
    ++cuts;
    if (look.step.state.size > look.parameters.minimum) {
      ASSERT_LT(look.step.state.size, look.usage);
    }
  });
  EXPECT_GT(cuts, 50);
}

TEST_P(WindowProperty, CauseBelongsToTheLaw) {
  for_all([](const Look& look) {
    if (look.parameters.law != Law::rfc || !look.step.cause) return;
    ASSERT_TRUE(look.step.cause == WindowCause::growth || look.step.cause == WindowCause::red);
    ASSERT_LE(look.to() - look.from(), look.parameters.step.value);
  });
}

class WindowAdaptiveProperty : public WindowProperty {};

INSTANTIATE_TEST_SUITE_P(Law, WindowAdaptiveProperty, ::testing::Values(Law::adaptive),
                         [](const auto&) { return "adaptive"; });

TEST_P(WindowAdaptiveProperty, AtMostOneCutInCutSettle) {
  TimePoint last = at(-1e6);
  for_all([&](const Look& look) {
    if (look.now < last) last = at(-1e6);
    if (look.step.cause != WindowCause::red) return;
    ASSERT_GE(look.now - last, look.parameters.cut_settle);
    last = look.now;
  });
}

TEST_P(WindowAdaptiveProperty, AtMostOneGrowthInARoundAndNoneInTheRoundAfterACut) {
  TimePoint last = at(-1e6);
  for_all([&](const Look& look) {
    if (look.now < last) last = at(-1e6);
    if (grew(look)) {
      ASSERT_GE(look.now - last, look.parameters.round);
    }
    if (grew(look) || look.step.cause == WindowCause::red) last = look.now;
  });
}

TEST_P(WindowAdaptiveProperty, NoCutTakesMoreThanHalf) {
  for_all([](const Look& look) {
    if (look.step.cause != WindowCause::red) return;
    const Points held = std::min(look.before.size, look.usage);
    const Points least{std::min(held.value / 2, look.usage.value - 1)};
    ASSERT_GE(look.step.state.size, std::max(look.parameters.minimum, least));
  });
}

TEST_P(WindowAdaptiveProperty, GrowthAtMostDoublesAndStopsAtTheThreshold) {
  for_all([](const Look& look) {
    if (!grew(look)) return;
    if (look.step.cause == WindowCause::slow_start) {
      ASSERT_LT(look.before.size, look.before.threshold);
      ASSERT_LE(look.step.state.size, look.before.threshold);
      ASSERT_LE(look.to(), std::max(2 * look.from(), look.from() + 1));
    } else {
      ASSERT_GE(look.before.size, look.before.threshold);
      ASSERT_LE(look.to() - look.from(), look.parameters.step.value);
    }
  });
}

TEST_P(WindowAdaptiveProperty, OnlyACutMovesTheThreshold) {
  for_all([](const Look& look) {
    if (look.step.state.threshold == look.before.threshold) return;
    ASSERT_EQ(look.step.state.last_cut, look.now);
    ASSERT_EQ(look.step.state.threshold, look.step.state.size);
  });
}

TEST_P(WindowAdaptiveProperty, NothingGrowsThatIsNotWanted) {
  for_all([](const Look& look) {
    if (!grew(look) || look.before.wanted || look.demand.refused) return;
    ASSERT_TRUE(look.demand.pending);
    ASSERT_GE(static_cast<double>(look.usage.value) / static_cast<double>(look.from()),
              look.parameters.increase_above);
  });
}

}  // namespace
}  // namespace sluice::window_test

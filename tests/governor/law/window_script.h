#pragma once

#include <string_view>
#include <vector>

#include "base/seconds.h"
#include "governor/law/window.h"

namespace sluice::window_test {

inline TimePoint at(double seconds) { return TimePoint{from_seconds(seconds)}; }

inline JudgedSensor green(double pressure, std::string_view name = "load") {
  return {name, Acts::congestion, false, true, pressure};
}
inline JudgedSensor red(double pressure, std::string_view name = "load") {
  return {name, Acts::congestion, true, true, pressure};
}
inline JudgedSensor stale(double pressure, std::string_view name = "memory") {
  return {name, Acts::congestion, false, false, pressure};
}
inline JudgedSensor green_gate(double pressure, std::string_view name = "disk") {
  return {name, Acts::gate, false, true, pressure};
}
inline JudgedSensor red_gate(double pressure, std::string_view name = "disk") {
  return {name, Acts::gate, true, true, pressure};
}
inline JudgedSensor blind_gate(std::string_view name = "cgroup") {
  return {name, Acts::gate, true, false, 1};
}

/// A law's inputs besides usage and sensors.
struct Demand {
  bool refused = false;
  bool pending = false;
};
inline constexpr Demand kNothing{};
inline constexpr Demand kRefused{true, true};
inline constexpr Demand kPending{false, true};

/// One window, driven step by step.
struct Window {
  WindowParameters parameters;
  WindowState state;

  WindowStep observe(double seconds, std::int64_t usage, const std::vector<JudgedSensor>& sensors,
                     Demand demand = kNothing) {
    const WindowStep step = step_window(
        parameters, state, {Points{usage}, demand.refused, demand.pending, sensors, at(seconds)});
    state = step.state;
    return step;
  }

  std::int64_t size() const { return state.size.value; }
  std::int64_t threshold() const { return state.threshold.value; }
};

/// A window of either law with round figures: within [10, 400], step 10, rounds of 15 s, cuts
/// settling in 60 s. Sets all that the tables rely on, so changed defaults break none.
inline Window open(Law law, std::int64_t initial, std::int64_t threshold = 150) {
  WindowOptions options;
  options.law = law;
  options.minimum = PointsSpec{10, PointsSpec::Per::machine};
  options.maximum = PointsSpec{400, PointsSpec::Per::machine};
  options.initial = PointsSpec{static_cast<double>(initial), PointsSpec::Per::machine};
  options.threshold = PointsSpec{static_cast<double>(threshold), PointsSpec::Per::machine};
  options.step = PointsSpec{10, PointsSpec::Per::machine};
  options.increase_above = 0.8;
  options.round = std::chrono::seconds(15);
  options.cut_settle = std::chrono::seconds(60);
  options.cut_gain = 0.5;
  options.hard = 1.2;
  options.idle_restart = std::chrono::minutes(10);
  const WindowParameters parameters = settle(options, 4);
  return {parameters, open_window(parameters, at(0))};
}

}  // namespace sluice::window_test

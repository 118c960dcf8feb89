#include "sluice/options.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr PointsSpec kInitial{15, PointsSpec::Per::cpu};
constexpr PointsSpec kMinimum{10, PointsSpec::Per::machine};
constexpr PointsSpec kMaximum{100, PointsSpec::Per::cpu};
constexpr PointsSpec kThreshold{15, PointsSpec::Per::cpu};
constexpr PointsSpec kStep{10, PointsSpec::Per::machine};

}  // namespace

Points PointsSpec::on(double cpus) const {
  const double whole = std::floor(per == Per::cpu ? points * cpus : points);
  return Points{
      static_cast<std::int64_t>(std::clamp(whole, 1.0, static_cast<double>(kMostPoints.value)))};
}

int StartingOptions::most_on(double cpus) const {
  const double load = 2.5 * cpus;
  const int by_load = std::max(static_cast<int>(cpus <= 4 ? load * 2 : load), 1);
  return most.value_or(std::max(by_load, floor.value_or(1)));
}

int StartingOptions::floor_on(double cpus) const {
  const int half = std::max(static_cast<int>(cpus / 2), 1);
  return floor ? *floor : std::min(half, most_on(cpus));
}

WindowParameters settle(const WindowOptions& options, double cpus) {
  WindowParameters settled;
  settled.law = options.law;
  settled.increase_above = options.increase_above;
  settled.interval = options.interval;
  settled.round = options.round;
  settled.cut_settle = options.cut_settle;
  settled.idle_restart = options.idle_restart;
  settled.dwell = options.dwell;
  settled.cut_gain = options.cut_gain;
  settled.hard = options.hard;

  // A default yields to a given value: first the bounds to each other, then the rest to the bounds.
  settled.minimum = options.minimum.value_or(kMinimum).on(cpus);
  settled.maximum = options.maximum.value_or(kMaximum).on(cpus);
  if (!options.minimum && options.initial) {
    settled.minimum = std::min(settled.minimum, options.initial->on(cpus));
  }
  if (!options.maximum && options.initial) {
    settled.maximum = std::max(settled.maximum, options.initial->on(cpus));
  }
  if (!options.maximum && options.threshold && options.law == Law::adaptive) {
    settled.maximum = std::max(settled.maximum, options.threshold->on(cpus));
  }
  if (!options.minimum) settled.minimum = std::min(settled.minimum, settled.maximum);
  if (!options.maximum) settled.maximum = std::max(settled.maximum, settled.minimum);
  settled.initial = options.initial.value_or(kInitial).on(cpus);
  settled.threshold = options.threshold.value_or(kThreshold).on(cpus);
  settled.step = options.step.value_or(kStep).on(cpus);
  if (!options.initial) {
    settled.initial = std::clamp(settled.initial, settled.minimum, settled.maximum);
  }
  if (!options.threshold) settled.threshold = std::min(settled.threshold, settled.maximum);
  return settled;
}

}  // namespace sluice

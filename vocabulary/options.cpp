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

PointsSpec smaller(const PointsSpec& one, const PointsSpec& other, double cpus) {
  return other.on(cpus) < one.on(cpus) ? other : one;
}

PointsSpec larger(const PointsSpec& one, const PointsSpec& other, double cpus) {
  return other.on(cpus) > one.on(cpus) ? other : one;
}

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

WindowSizes settle_sizes(const WindowOptions& options, double cpus) {
  WindowSizes sizes;
  sizes.minimum = options.minimum.value_or(kMinimum);
  sizes.maximum = options.maximum.value_or(kMaximum);
  if (options.initial) {
    if (!options.minimum) sizes.minimum = smaller(sizes.minimum, *options.initial, cpus);
    if (!options.maximum) sizes.maximum = larger(sizes.maximum, *options.initial, cpus);
  }
  if (options.threshold && !options.maximum && options.law != Law::rfc) {
    sizes.maximum = larger(sizes.maximum, *options.threshold, cpus);
  }
  if (!options.minimum) sizes.minimum = smaller(sizes.minimum, sizes.maximum, cpus);
  if (!options.maximum) sizes.maximum = larger(sizes.maximum, sizes.minimum, cpus);
  sizes.initial =
      options.initial.value_or(smaller(larger(kInitial, sizes.minimum, cpus), sizes.maximum, cpus));
  sizes.threshold = options.threshold.value_or(
      options.law == Law::knee ? sizes.maximum : smaller(kThreshold, sizes.maximum, cpus));
  return sizes;
}

CostOptions settle(CostOptions options, Law law) {
  if (!options.minimum) options.minimum = law == Law::knee ? Points{1} : Points{5};
  return options;
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
  settled.step = options.step.value_or(kStep).on(cpus);
  const WindowSizes sizes = settle_sizes(options, cpus);
  settled.minimum = sizes.minimum.on(cpus);
  settled.maximum = sizes.maximum.on(cpus);
  settled.initial = sizes.initial.on(cpus);
  settled.threshold = sizes.threshold.on(cpus);
  WindowOptions blind = options;
  if (blind.law == Law::knee) blind.law = Law::adaptive;
  settled.blind_threshold = settle_sizes(blind, cpus).threshold.on(cpus);
  return settled;
}

}  // namespace sluice

#include "config/settled.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr PointsSpec kMinimum{10, PointsSpec::Per::machine};
constexpr PointsSpec kMaximum{100, PointsSpec::Per::cpu};
constexpr PointsSpec kInitial{15, PointsSpec::Per::cpu};
constexpr PointsSpec kThreshold{15, PointsSpec::Per::cpu};

PointsSpec smaller(const PointsSpec& one, const PointsSpec& other, double cpus) {
  return points_on(other, cpus) < points_on(one, cpus) ? other : one;
}

PointsSpec larger(const PointsSpec& one, const PointsSpec& other, double cpus) {
  return points_on(other, cpus) > points_on(one, cpus) ? other : one;
}

int default_most(double cpus) {
  const double most = cpus <= 4 ? 5 * cpus : 2.5 * cpus;
  return std::max(1, static_cast<int>(std::min(most, 1e6)));
}

int default_floor(double cpus) { return std::max(1, static_cast<int>(std::min(cpus / 2, 1e6))); }

}  // namespace

Points points_on(const PointsSpec& spec, double cpus) {
  const double points = spec.per == PointsSpec::Per::cpu ? spec.points * cpus : spec.points;
  const double most = static_cast<double>(kMostPoints.value);
  return Points{static_cast<std::int64_t>(std::clamp(std::floor(points), 1.0, most))};
}

std::string print_cpus(double cpus) {
  const double shown = std::round(cpus * 100) / 100;
  return print_decimal(shown) + (shown == 1 ? " CPU" : " CPUs");
}

SettledWindow settle_window(const WindowOptions& options, double cpus) {
  SettledWindow window;
  window.minimum = options.minimum.value_or(kMinimum);
  window.maximum = options.maximum.value_or(kMaximum);
  if (options.initial) {
    if (!options.minimum) window.minimum = smaller(window.minimum, *options.initial, cpus);
    if (!options.maximum) window.maximum = larger(window.maximum, *options.initial, cpus);
  }
  if (options.threshold && !options.maximum && options.law == Law::adaptive) {
    window.maximum = larger(window.maximum, *options.threshold, cpus);
  }
  if (!options.minimum) window.minimum = smaller(window.minimum, window.maximum, cpus);
  if (!options.maximum) window.maximum = larger(window.maximum, window.minimum, cpus);
  window.initial = options.initial.value_or(
      smaller(larger(kInitial, window.minimum, cpus), window.maximum, cpus));
  window.threshold = options.threshold.value_or(smaller(kThreshold, window.maximum, cpus));
  return window;
}

SettledDefault settled_window_default(const Config& config, PointsSpec SettledWindow::*part,
                                      const std::string& fallback) {
  const SettledWindow window = settle_window(config.governing.window, config.cpus);
  const std::string value = print_points(window.*part);
  return {value, value == fallback ? "default" : "default, adjusted to the given values"};
}

SettledDefault settled_starting_most(const Config& config) {
  const int most = std::max(default_most(config.cpus), config.governing.starting.floor.value_or(1));
  return {std::to_string(most), "default for " + print_cpus(config.cpus)};
}

SettledDefault settled_starting_floor(const Config& config) {
  const int most = config.governing.starting.most.value_or(default_most(config.cpus));
  return {std::to_string(std::min(default_floor(config.cpus), most)),
          "default for " + print_cpus(config.cpus)};
}

}  // namespace sluice

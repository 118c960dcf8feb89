#include "config/checks.h"

#include <optional>
#include <string>

#include "base/values.h"
#include "config/contradictions.h"
#include "config/settled.h"

namespace sluice {
namespace {

std::string print_resolved(const PointsSpec& spec, double cpus) {
  const std::string text = print_points(spec);
  if (spec.per == PointsSpec::Per::machine) return text;
  return text + ", so " + std::to_string(points_on(spec, cpus).value) + " with " + print_cpus(cpus);
}

void check_sizes(const Config& config, Contradictions& found) {
  const WindowOptions& window = config.governing.window;
  struct Resolved {
    PointsSpec spec;
    double cpus;
    bool operator<=(const Resolved& other) const {
      return points_on(spec, cpus) <= points_on(other.spec, other.cpus);
    }
  };
  const auto resolve = [&](const std::optional<PointsSpec>& spec) {
    return Resolved{spec.value_or(PointsSpec{}), config.cpus};
  };
  const auto print = [](const Resolved& size) { return print_resolved(size.spec, size.cpus); };
  const Resolved minimum = resolve(window.minimum), maximum = resolve(window.maximum);
  const Resolved initial = resolve(window.initial), threshold = resolve(window.threshold);
  found.order("window.minimum", minimum, "window.maximum", maximum, print);
  found.order("window.minimum", minimum, "window.initial", initial, print);
  found.order("window.initial", initial, "window.maximum", maximum, print);
  if (window.law != Law::adaptive) return;
  found.order("window.threshold", threshold, "window.maximum", maximum, print);
}

/// A reading must not expire before the next one can arrive.
void check_age(const std::string& path, const SensorSettings& settings, Duration every,
               Contradictions& found) {
  found.order(path + ".every", every, path + ".max_age", settings.max_age.value_or(every),
              print_duration);
}

void check_sensors(const Config& config, Contradictions& found) {
  const SensorOptions& sensors = config.governing.sensors;
  for (const auto& [name, sensor] : sensors.files) {
    check_age("sensors." + name, sensor, sensor.every, found);
  }
  for (const auto& [name, sensor] : sensors.commands) {
    check_age("sensors." + name, sensor, sensor.every, found);
  }
  const StartingOptions& starting = config.governing.starting;
  found.order("sensors.starting.floor", starting.floor.value_or(0), "sensors.starting.most",
              starting.most.value_or(0), [](int number) { return std::to_string(number); });
}

}  // namespace

std::vector<ConfigError> find_contradictions(const Config& config) {
  Contradictions found(config);
  check_sizes(config, found);
  check_sensors(config, found);
  check_queueing(config, found);
  check_work_sources(config, found);
  check_autoscaling(config, found);
  return found.take();
}

}  // namespace sluice

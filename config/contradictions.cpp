#include "config/contradictions.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/values.h"
#include "config/complaint.h"
#include "config/name_check.h"
#include "config/settled.h"
#include "sluice/locks.h"

namespace sluice {
namespace {

std::string print_resolved(const PointsSpec& spec, double cpus) {
  const std::string text = print_points(spec);
  if (spec.per == PointsSpec::Per::machine) return text;
  return text + ", so " + std::to_string(spec.on(cpus).value) + " with " + cpus_text(cpus);
}

void check_sizes(const Config& config, Contradictions& found) {
  const WindowOptions& window = config.governing.window;
  struct Resolved {
    PointsSpec spec;
    double cpus;
    bool operator<=(const Resolved& other) const {
      return spec.on(cpus) <= other.spec.on(other.cpus);
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
  if (window.law == Law::rfc) return;
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

void expect_known(const std::string& path, const std::string& what, const std::string& name,
                  const std::vector<std::string>& known, Contradictions& found) {
  if (!found.given(path) || std::find(known.begin(), known.end(), name) != known.end()) return;
  found.add(path, path + ": " + unknown_name(what, name, known));
}

void check_queues(const QueueingOptions& options, Contradictions& found) {
  const auto managers = names_in(options.resources);
  for (const auto& [name, queue] : options.queues) {
    const std::string path = path_of_entry("queues", name) + ".resources";
    for (std::size_t i = 0; i < queue.resources.size(); ++i) {
      expect_known(path_of_item(path, i), "resource manager", queue.resources[i], managers, found);
    }
  }
}

void check_key(const QueueingOptions& options, const std::string& path, const KeyOptions& key,
               Contradictions& found) {
  if (key.queue) {
    expect_known(path + ".queue", "queue", *key.queue, names_in(options.queues), found);
  }
  for (const auto& [manager, amount] : key.resources) {
    expect_known(path_of_entry(path + ".resources", manager), "resource manager", manager,
                 names_in(options.resources), found);
  }
  if (!key.locks) return;
  std::size_t names = 0;
  for (const auto& [level, text] : *key.locks) {
    expect_known(path_of_entry(path + ".locks", level), "level", level, options.contention.levels,
                 found);
    names += count_lock_names(text);
  }
  if (names <= kMostLockNames || !found.given(path + ".locks")) return;
  found.add(path + ".locks", path + ".locks must have at most " + std::to_string(kMostLockNames) +
                                 " names across all levels; it has " + std::to_string(names));
}

void check_rules(const std::vector<RuleOptions>& rules, Contradictions& found) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string path = path_of_item("rules", i);
    const bool limits = rules[i].action == RuleOptions::Action::rate_limit;
    if (limits && rules[i].n == 0 && found.given(path + ".do")) {
      found.add(path + ".do", path + " needs `n`, at least 1, with `do: rate_limit`");
    }
    if (!limits && rules[i].n != 0 && found.given(path + ".n") && found.given(path + ".do")) {
      found.add(path + ".n", path + ".n is for `do: rate_limit` only");
    }
  }
}

void check_queueing(const Config& config, Contradictions& found) {
  const QueueingOptions& options = config.governing.queueing;
  const bool holds = options.contention.mode == ContentionMode::hold;
  if (holds && options.contention.batch && found.given("contention.batch")) {
    found.add("contention.batch",
              "contention.batch must not be true with `mode: hold`, which weighs jobs against "
              "those started in the same pass");
  }
  check_queues(options, found);
  for (const auto& [name, key] : options.keys) {
    check_key(options, path_of_entry("keys", name), key, found);
  }
  check_rules(options.rules, found);
}

}  // namespace

std::vector<ConfigError> find_contradictions(const Config& config) {
  Contradictions found(config);
  check_sizes(config, found);
  check_sensors(config, found);
  check_queueing(config, found);
  check_work_sources(config, found);
  check_autoscaling(config, found);
  return found.take_errors();
}

}  // namespace sluice

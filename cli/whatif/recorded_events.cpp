#include "cli/whatif/recorded_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "config/effective.h"

namespace sluice::cli {
namespace {

/// Sensors that the modelled machine answers, or that depend on what was admitted.
constexpr std::array<std::string_view, 11> kModelled{
    "load",       "memory",        "memory_pressure", "cpu_pressure", "io_pressure", "cgroup",
    "cgroup_cpu", "cgroup_memory", "cgroup_pids",     "starting",     "pause"};

bool is_scripted(std::string_view sensor) {
  return std::ranges::find(kModelled, sensor) == kModelled.end();
}

/// Values by option of what the pressures of a sensor are parts of.
std::map<std::string, std::string> limits_in(const Config& config, const std::string& sensor) {
  const std::string section = "sensors." + sensor + ".";
  std::map<std::string, std::string> limits;
  for (EffectiveValue& each : effective_values(config)) {
    if (!each.path.starts_with(section)) continue;
    const std::string_view option = std::string_view(each.path).substr(section.size());
    if (option != "limit" && option != "limits" && option != "headroom") continue;
    limits.emplace(std::move(each.path), std::move(each.value));
  }
  return limits;
}

/// The text of the configuration in force at a time; the first one if that is later.
std::optional<std::string> text_in_force(const RecordedWork& work, const When& at) {
  std::optional<std::string> text;
  for (const auto& [when, each] : work.configurations) {
    if (!text || when <= at) text = each.text.text;
  }
  return text;
}

}  // namespace

RecordedSpan span_of(const RecordedWork& work) {
  RecordedSpan span{*work.from, *work.to, *work.to, *work.to};
  bool is_empty = true;
  const auto consider = [&](const When& when) {
    if (!span.has(when)) return;
    if (is_empty || when < span.first) span.first = when;
    if (is_empty || when > span.last) span.last = when;
    is_empty = false;
  };
  for (const auto& [when, level] : work.levels) consider(when);
  for (const JobStory& job : work.story.jobs()) {
    if (job.submitted) consider(*job.submitted);
    if (job.start) consider(job.start->when);
    if (job.end) consider(job.end->when);
  }
  return span;
}

void add_pressures(const RecordedWork& work, const RecordedSpan& span, Scenario& scenario) {
  for (const auto& [when, changed] : work.pressures) {
    if (when > span.to) break;
    for (const auto& [sensor, pressure] : changed.of) {
      if (!is_scripted(sensor.text)) continue;
      const double bounded = std::clamp(record::from_thousandths(pressure), 0.0, 100.0);
      scenario.sensors.push_back({0, span.at(when), sensor.text, bounded});
    }
  }
}

void drop_unknown_sensors(Scenario& scenario) {
  std::set<std::string> known;
  for (const EffectiveValue& each : effective_values(scenario.config)) {
    const std::size_t end = each.path.rfind('.');
    if (each.path.starts_with("sensors.")) known.insert(each.path.substr(0, end));
  }
  std::erase_if(scenario.sensors,
                [&](const SensorPoint& each) { return !known.contains("sensors." + each.name); });
}

std::vector<std::string> drop_unknown_queues(Scenario& scenario) {
  using Do = ScenarioEvent::Do;
  const auto& known = scenario.config.governing.queueing.queues;
  std::set<std::string> unknown;
  std::erase_if(scenario.events, [&](const ScenarioEvent& each) {
    const bool is_on_queue = each.what == Do::pause_queue || each.what == Do::resume_queue;
    if (!is_on_queue || known.contains(*each.queue)) return false;
    unknown.insert(*each.queue);
    return true;
  });
  return {unknown.begin(), unknown.end()};
}

std::vector<std::string> changed_limits(const RecordedWork& work, const Scenario& scenario) {
  const auto text = text_in_force(work, *work.from);
  if (!text) return {};
  const ConfigResult parsed = parse_config(*text, "the recorded configuration", scenario.cpus);
  const auto* recorded = std::get_if<Config>(&parsed);
  if (!recorded) return {};
  std::set<std::string> sensors;
  for (const SensorPoint& each : scenario.sensors) sensors.insert(each.name);
  std::vector<std::string> changed;
  for (const std::string& sensor : sensors) {
    const auto before = limits_in(*recorded, sensor);
    for (const auto& [path, value] : limits_in(scenario.config, sensor)) {
      const auto old = before.find(path);
      if (old != before.end() && old->second != value) changed.push_back(path);
    }
  }
  return changed;
}

}  // namespace sluice::cli

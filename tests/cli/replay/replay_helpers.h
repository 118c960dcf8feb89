#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/replay/records.h"
#include "cli/replay/run.h"

namespace sluice::cli {

/// A scenario in C++: whole seconds; by default `rfc` with a fixed window and no contention.
struct ReplayBuilder {
  Scenario scenario;

  explicit ReplayBuilder(double points = 20) {
    scenario.file = "s.yaml";
    WindowOptions& window = scenario.config.governing.window;
    window.law = Law::rfc;
    window.initial = window.minimum = window.maximum = PointsSpec{points};
    scenario.config.governing.queueing.contention.mode = ContentionMode::off;
  }

  ScenarioJob& job(int at, std::string id, int runs, std::int64_t cost = 10) {
    ScenarioJob& job = scenario.jobs.emplace_back();
    job.at = std::chrono::seconds(at);
    job.request.id = std::move(id);
    job.request.cost = Points{cost};
    job.runs = std::chrono::seconds(runs);
    job.line = static_cast<int>(scenario.jobs.size());
    return job;
  }
  void reading(int at, std::string sensor, double pressure) {
    scenario.sensors.push_back({0, std::chrono::seconds(at), std::move(sensor), pressure});
  }
  ScenarioEvent& event(int at, ScenarioEvent::Do what, std::string job = "") {
    ScenarioEvent& event = scenario.events.emplace_back();
    event.place = {100, 3};
    event.at = std::chrono::seconds(at);
    event.what = what;
    event.job = std::move(job);
    return event;
  }
  void until(int seconds) { scenario.until = std::chrono::seconds(seconds); }
};

struct Replayed {
  std::string text;  ///< The records as JSON Lines.
  std::optional<ConfigError> error;
  std::vector<std::string> notes;
};

/// Sorts the scenario by time, as a parsed scenario is, and runs it.
inline Replayed replay(ReplayBuilder builder) {
  const auto sort = [](auto& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
  };
  sort(builder.scenario.jobs);
  sort(builder.scenario.sensors);
  sort(builder.scenario.events);
  Replayed replayed;
  ReplaySink sink;
  sink.on_record = [&](const ReplayRecord& record) { append_json(replayed.text, record); };
  sink.on_note = [&](const std::string& note) { replayed.notes.push_back(note); };
  const JobSource jobs = jobs_from(builder.scenario.jobs);
  replayed.error = run_replay(builder.scenario, jobs, builder.scenario.file, sink);
  return replayed;
}

/// The lines that contain all of these parts.
inline std::string lines_with(const std::string& text, const std::vector<std::string>& parts) {
  std::string found;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    bool all = true;
    for (const std::string& part : parts) all = all && line.find(part) != std::string::npos;
    if (all) found += line + "\n";
    at = end + 1;
  }
  return found;
}

}  // namespace sluice::cli

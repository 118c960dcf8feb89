#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/replay_records.h"
#include "cli/replay_run.h"

namespace sluice::cli {

/// A scenario in C++: jobs with whole seconds, `rfc` with a fixed window unless said otherwise.
struct ReplayBuilder {
  ReplayScenario scenario;
  std::vector<ScriptedJob> jobs;

  explicit ReplayBuilder(double points = 20) {
    scenario.config.file = "s.yaml";
    scenario.jobs_file = "s.yaml";
    WindowOptions& window = scenario.config.governing.window;
    window.law = Law::rfc;
    window.initial = window.minimum = window.maximum = PointsSpec{points};
    scenario.config.governing.queueing.contention.mode = ContentionMode::off;
  }

  ScriptedJob& job(int at, std::string id, int runs, std::int64_t cost = 10) {
    ScriptedJob& job = jobs.emplace_back();
    job.at = std::chrono::seconds(at);
    job.request.id = std::move(id);
    job.request.cost = Points{cost};
    job.runs = std::chrono::seconds(runs);
    job.line = static_cast<int>(jobs.size());
    return job;
  }
  void reading(int at, std::string sensor, double pressure) {
    scenario.readings.push_back({std::chrono::seconds(at), std::move(sensor), pressure});
  }
  template <typename What>
  void event(int at, What what) {
    scenario.events.push_back({std::chrono::seconds(at), std::move(what), 100});
  }
  void until(int seconds) { scenario.until = std::chrono::seconds(seconds); }
};

struct Replayed {
  std::string text;  ///< The records as JSON Lines.
  std::optional<ConfigError> error;
  std::vector<std::string> notes;
};

inline Replayed replay(ReplayBuilder builder) {
  Replayed replayed;
  ReplaySink sink;
  sink.on_record = [&](const ReplayRecord& record) { append_json(replayed.text, record); };
  sink.on_note = [&](const std::string& note) { replayed.notes.push_back(note); };
  builder.scenario.jobs = jobs_from(std::move(builder.jobs));
  replayed.error = run_replay(std::move(builder.scenario), sink);
  return replayed;
}

/// The lines that hold all of these.
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

#include "cli/whatif/scenario_text.h"

#include <string_view>

#include "base/json_writer.h"
#include "base/parse.h"
#include "base/values.h"
#include "sluice/locks.h"

namespace sluice::cli {
namespace {

/// JSON is YAML: texts and small maps are written so.
std::string as_json(std::string_view text) {
  return json_text([&](JsonWriter& json) { json.value(text); });
}

/// A document as the value of a key: without its marks, each line `by` columns further right.
std::string indented(std::string_view text, std::size_t by) {
  std::string out;
  bool has_value = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with("---") || line.starts_with("...") || line.starts_with("%")) continue;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    has_value = has_value || line[first] != '#';
    out += std::string(by, ' ') + std::string(line) + "\n";
  }
  return has_value ? out : std::string(by, ' ') + "{}\n";
}

std::string machine_yaml(const Scenario& scenario) {
  std::string text =
      "machine:\n  model: host\n  cpus: " + print_decimal(scenario.host->cpus) + "\n";
  if (scenario.memory) text += "  memory: " + print_size(*scenario.memory) + "\n";
  if (scenario.host->neighbours.empty()) return text;
  text += "  neighbours:\n";
  for (const ScenarioNeighbour& each : scenario.host->neighbours) {
    text += "    - {from: " + print_duration(each.from);
    if (each.until) text += ", until: " + print_duration(*each.until);
    text += ", threads: " + print_decimal(each.threads);
    if (each.memory > Bytes{0}) text += ", memory: " + print_size(each.memory);
    text += "}\n";
  }
  return text;
}

std::string history_yaml(const std::vector<ScenarioRun>& history) {
  if (history.empty()) return "history: []\n";
  std::string text = "history:\n";
  for (const ScenarioRun& run : history) {
    text += "  - {key: " + as_json(run.key);
    for (const auto& [name, value] :
         {std::pair("program", &run.program), std::pair("user", &run.user),
          std::pair("variant", &run.variant)}) {
      if (!value->empty()) text += std::string(", ") + name + ": " + as_json(*value);
    }
    text += ", runs: " + print_duration(run.runs) + ", cores: " + print_decimal(run.cores) +
            ", memory: " + print_size(run.memory) + "}\n";
  }
  return text;
}

std::string locks_json(const std::vector<LevelLocks>& locks) {
  return json_text([&](JsonWriter& json) {
    json.begin_object();
    for (const LevelLocks& level : locks) json.member(level.level, to_text(level));
    json.end_object();
  });
}

std::string position_yaml(const ScenarioEvent::Position& position) {
  using enum JobChange::Position::Where;
  if (position.where == front) return "front";
  if (position.where == back) return "back";
  return std::string(position.where == before ? "{before: " : "{after: ") + as_json(position.of) +
         "}";
}

/// The fields that an event with `do: set` sets, but for the queue.
std::string set_yaml(const ScenarioEvent& event) {
  std::string text;
  const auto add = [&](const char* field, const std::string& value) {
    text += std::string("    ") + field + ": " + value + "\n";
  };
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  if (event.priority) add("priority", std::to_string(*event.priority));
  if (event.position) add("position", position_yaml(*event.position));
  if (event.frozen) add("frozen", truth(*event.frozen));
  if (event.nice) add("nice", std::to_string(*event.nice));
  if (event.locks) add("locks", locks_json(*event.locks));
  if (event.global_lock) add("global_lock", truth(*event.global_lock));
  return text;
}

std::string events_yaml(const Scenario& scenario) {
  std::string text;
  for (const ScenarioEvent& event : scenario.events) {
    text += "  - at: " + print_duration(event.at) +
            "\n    do: " + std::string(to_string(event.what)) + "\n";
    if (!event.job.empty()) text += "    job: " + as_json(event.job) + "\n";
    if (event.queue) text += "    queue: " + as_json(*event.queue) + "\n";
    text += set_yaml(event);
    if (event.config) text += "    config:\n" + indented(event.config->text, 6);
  }
  return text.empty() ? "" : "events:\n" + text;
}

std::string sensors_yaml(const Scenario& scenario) {
  std::string text;
  for (const SensorPoint& point : scenario.sensors) {
    text += "  - {at: " + print_duration(point.at) + ", name: " + as_json(point.name) +
            ", pressure: " + print_decimal(point.pressure) + "}\n";
  }
  return text.empty() ? "" : "sensors:\n" + text;
}

void add_phase(JsonWriter& json, const ScenarioPhase& phase) {
  json.begin_object().member("runs", print_duration(phase.runs)).member("cores", phase.cores);
  if (phase.memory > Bytes{0}) json.member("memory", print_size(phase.memory));
  if (phase.growth > Bytes{0}) json.member("growth", print_size(phase.growth));
  json.end_object();
}

void add_demands(JsonWriter& json, const ScenarioJob& job) {
  if (job.request.locks) json.key("locks").raw(locks_json(*job.request.locks));
  if (job.request.global_lock) json.member("global_lock", true);
  if (!job.request.resources.empty()) {
    json.object("resources", job.request.resources,
                [&](const ResourceDemand& each) { json.member(each.manager, each.amount); });
  }
  if (!job.after.empty()) json.member("after", job.after);
  if (job.request.on_failure != OnFailure::cancel) {
    json.member("on_failure", to_string(job.request.on_failure));
  }
  if (!job.request.reasons.empty()) json.member("reasons", job.request.reasons);
}

void add_job(std::string& out, const ScenarioJob& job) {
  const JobRequest& request = job.request;
  JsonWriter json(out);
  json.begin_object().member("at", print_duration(job.at)).member("id", request.id);
  for (const auto& [name, value] :
       {std::pair("key", &request.key), std::pair("program", &request.program),
        std::pair("user", &request.user), std::pair("variant", &request.variant),
        std::pair("queue", &request.queue), std::pair("follows", &job.follows),
        std::pair("batch", &job.batch)}) {
    if (!value->empty()) json.member(name, *value);
  }
  if (!job.follows.empty()) json.member("gap", print_duration(job.gap));
  if (job.batch_waiting > 0) json.member("batch_waiting", job.batch_waiting);
  if (job.batch_unfinished > 0) json.member("batch_unfinished", job.batch_unfinished);
  if (job.ran) json.member("ran", print_duration(*job.ran));
  if (job.holds) json.member("holds", *job.holds);
  if (job.waited) json.member("waited", print_duration(*job.waited));
  if (request.priority && *request.priority != 0) json.member("priority", *request.priority);
  if (request.inventory) json.member("inventory", *request.inventory);
  if (request.cost) json.member("cost", *request.cost);
  if (request.memory) json.member("memory", print_size(*request.memory));
  if (request.nice) json.member("nice", *request.nice);
  if (job.outcome != Outcome::ok) json.member("outcome", to_string(job.outcome));
  add_demands(json, job);
  json.list("phases", job.phases, [&](const ScenarioPhase& each) { add_phase(json, each); });
  json.end_object();
  out += "\n";
}

}  // namespace

std::string scenario_yaml(const Scenario& scenario, const std::string& jobs_file) {
  std::string text = scenario.recorded ? "recorded: true\n" : "";
  text += "config:\n" + indented(scenario.config.text, 2) + machine_yaml(scenario);
  if (scenario.history) text += history_yaml(*scenario.history);
  text += sensors_yaml(scenario) + events_yaml(scenario);
  return text + "jobs: {file: " + as_json(jobs_file) + "}\n";
}

std::string jobs_text(const Scenario& scenario) {
  std::string text;
  for (const ScenarioJob& job : scenario.jobs) add_job(text, job);
  return text;
}

}  // namespace sluice::cli

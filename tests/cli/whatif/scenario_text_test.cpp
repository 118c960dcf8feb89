#include "cli/whatif/scenario_text.h"

#include <gtest/gtest.h>

#include "cli/replay/jobs.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

/// What a record can lead to.
Scenario whole() {
  Scenario scenario;
  scenario.recorded = true;
  const std::string text = "---\nwindow: {law: rfc}\nqueues:\n  default: {}\n";
  scenario.config = std::get<Config>(parse_config(text, "s.yaml", 4));
  scenario.cpus = 4;
  scenario.memory = Bytes{8ULL << 30};
  ScenarioHost& host = scenario.host.emplace();
  host.cpus = 4;
  host.neighbours = {{.from = 5s, .until = 10s, .threads = 0.5, .memory = Bytes{1 << 20}}};
  scenario.history = {{.key = "g++: a, b", .program = "g++", .runs = 1500ms, .memory = Bytes{7}}};
  scenario.sensors = {{0, 3s, "disk", 1.25}};
  ScenarioEvent& pause = scenario.events.emplace_back();
  pause.at = 7s;
  pause.what = ScenarioEvent::Do::pause_queue;
  pause.queue = "default";
  ScenarioEvent& reload = scenario.events.emplace_back();
  reload.at = 8s;
  reload.what = ScenarioEvent::Do::reload;
  reload.config = std::make_shared<const Config>(std::get<Config>(parse_config("{}", "s", 4)));
  return scenario;
}

TEST(ScenarioText, ReadsBackAsTheSame) {
  const auto result = parse_scenario(scenario_yaml(whole(), "day.jsonl"), "day.yaml");
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    FAIL() << to_string(errors->front()) << "\n" << scenario_yaml(whole(), "day.jsonl");
  }
  const Scenario& read = std::get<Scenario>(result);
  EXPECT_TRUE(read.recorded);
  EXPECT_EQ(read.config.governing.window.law, Law::rfc);
  EXPECT_EQ(read.cpus, 4);
  EXPECT_EQ(read.memory, Bytes{8ULL << 30});
  ASSERT_EQ(read.host->neighbours.size(), 1U);
  EXPECT_EQ(read.host->neighbours[0].until, 10s);
  EXPECT_EQ(read.host->neighbours[0].memory, Bytes{1 << 20});
  ASSERT_EQ(read.history->size(), 1U);
  EXPECT_EQ(read.history->front().key, "g++: a, b");
  EXPECT_EQ(read.history->front().runs, 1500ms);
  EXPECT_EQ(read.history->front().memory, Bytes{7});
  ASSERT_EQ(read.sensors.size(), 1U);
  EXPECT_EQ(read.sensors[0].pressure, 1.25);
  ASSERT_EQ(read.events.size(), 2U);
  EXPECT_EQ(read.events[0].queue, "default");
  ASSERT_TRUE(read.events[1].config);
  EXPECT_EQ(read.events[1].config->governing.window.law, Law::knee);
  EXPECT_EQ(read.jobs_file->path, "day.jsonl");
}

TEST(ScenarioText, ChangesOfJobsReadBackAsTheSame) {
  Scenario scenario = whole();
  scenario.events.clear();
  ScenarioEvent event;
  event.at = 9s;
  event.what = ScenarioEvent::Do::set;
  event.job = "a";
  event.queue = "default";
  event.priority = -3;
  event.nice = 5;
  event.frozen = false;
  event.locks = {std::get<LevelLocks>(parse_locks("node", "shared:n1 exclusive:n2"))};
  event.global_lock = true;
  scenario.events.push_back(event);
  event = {};
  event.at = 9s;
  event.what = ScenarioEvent::Do::set;
  event.job = "a";
  event.locks.emplace();
  using enum JobChange::Position::Where;
  const std::vector<ScenarioEvent::Position> positions{{front, ""}, {back, ""}, {before, "b: c"}};
  for (const ScenarioEvent::Position& position : positions) {
    event.position = position;
    scenario.events.push_back(event);
  }
  const std::string text = scenario_yaml(scenario, "day.jsonl");
  const auto result = parse_scenario(text, "day.yaml");
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    FAIL() << to_string(errors->front()) << "\n" << text;
  }
  const auto& events = std::get<Scenario>(result).events;
  ASSERT_EQ(events.size(), scenario.events.size());
  for (std::size_t at = 0; at < events.size(); ++at) {
    const ScenarioEvent &read = events[at], &written = scenario.events[at];
    EXPECT_EQ(read.job, "a");
    EXPECT_EQ(read.queue, written.queue);
    EXPECT_EQ(read.priority, written.priority);
    EXPECT_EQ(read.nice, written.nice);
    EXPECT_EQ(read.frozen, written.frozen);
    EXPECT_EQ(read.locks, written.locks);
    EXPECT_EQ(read.global_lock, written.global_lock);
    EXPECT_EQ(read.position.has_value(), written.position.has_value());
    if (!written.position) continue;
    EXPECT_EQ(read.position->where, written.position->where);
    EXPECT_EQ(read.position->of, written.position->of);
  }
}

TEST(ScenarioText, AJobIsOneLine) {
  Scenario scenario = whole();
  ScenarioJob& job = scenario.jobs.emplace_back();
  job.at = 1500ms;
  job.request.id = "b";
  job.request.key = "k";
  job.request.priority = 3;
  job.request.cost = Points{7};
  job.request.memory = Bytes{1 << 30};
  job.request.nice = -2;
  job.request.global_lock = true;
  job.request.on_failure = OnFailure::hold;
  job.request.reasons = {"rate-limit:2:lint", "nightly"};
  job.request.locks = {std::get<LevelLocks>(parse_locks("node", "exclusive:n1"))};
  job.request.resources = {{"db", 2}};
  job.after = {"a"};
  job.follows = "z";
  job.gap = 20ms;
  job.batch = "17";
  job.batch_waiting = 16;
  job.batch_unfinished = 8;
  job.outcome = Outcome::failed;
  job.phases = {{.runs = 2s, .cores = 0.5, .memory = Bytes{5}, .growth = Bytes{6}}};
  EXPECT_EQ(jobs_text(scenario),
            R"({"at":"1500ms","id":"b","key":"k","follows":"z","batch":"17","gap":"20ms",)"
            R"("batch_waiting":16,"batch_unfinished":8,"priority":3,"cost":7,)"
            R"("memory":"1GiB","nice":-2,"outcome":"failed","locks":{"node":"exclusive:n1"},)"
            R"("global_lock":true,"resources":{"db":2},"after":["a"],"on_failure":"hold",)"
            R"("reasons":["rate-limit:2:lint","nightly"],)"
            R"("phases":[{"runs":"2s","cores":0.5,"memory":"5B","growth":"6B"}]})"
            "\n");
}

TEST(ScenarioText, AJobThatAlreadyRunsOrWaitsReadsBackAsTheSame) {
  Scenario scenario = whole();
  ScenarioJob& job = scenario.jobs.emplace_back();
  job.request.id = "b";
  job.ran = 90s;
  job.holds = Points{25};
  job.phases = {{.runs = 2s, .cores = 1, .memory = Bytes{5}}};
  const auto read = JobLineParser().parse(jobs_text(scenario));
  if (const auto* problem = std::get_if<std::string>(&read)) FAIL() << *problem;
  EXPECT_EQ(std::get<ScenarioJob>(read).ran, 90s);
  EXPECT_EQ(std::get<ScenarioJob>(read).holds, Points{25});
  job.ran.reset();
  job.holds.reset();
  job.waited = 1500ms;
  const auto none = std::get<ScenarioJob>(JobLineParser().parse(jobs_text(scenario)));
  EXPECT_FALSE(none.ran || none.holds);
  EXPECT_EQ(none.waited, 1500ms);
}

}  // namespace
}  // namespace sluice::cli
